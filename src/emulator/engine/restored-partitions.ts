import type { PartitionRecord } from './changes/journal.js'
import type { ColdDocuments } from './cold/cold-documents.js'
import { PhysicalPartition } from './partitions/physical-partition.js'

/** Returns the partitions of a container, whose documents are on disk. */
export function restoredPartitions(
  records: readonly PartitionRecord[],
  cold: ColdDocuments | null,
): readonly PhysicalPartition[] {
  return records
    .map(({ id, min, max, parents, lsn, count = 0, bytes = 0 }) => {
      return new PhysicalPartition({ id, range: { min, max }, parents }, lsn, cold, { count, bytes })
    })
    .sort((a, b) => (a.range.min < b.range.min ? -1 : 1))
}

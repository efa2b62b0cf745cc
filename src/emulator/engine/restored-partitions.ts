import type { KeptDocument } from './changes/journal.js'
import { contains } from './partitions/key-ranges.js'
import { PhysicalPartition } from './partitions/physical-partition.js'
import type { PartitionRecord } from './changes/journal.js'
import { DocumentVersion, type DocumentHome } from './values/document-version.js'

/** Returns the partitions of a container with its documents, whose texts stay on disk. */
export function restoredPartitions(
  records: readonly PartitionRecord[],
  documents: Iterable<KeptDocument>,
  shared: Pick<DocumentHome, 'containerRid' | 'memory'>,
): readonly PhysicalPartition[] {
  const versions = restoredVersions(documents, shared)
  return records
    .map(({ id, min, max, parents, lsn }) => {
      const partition = new PhysicalPartition({ id, range: { min, max }, parents }, lsn)
      partition.store(versions.filter((version) => contains(partition.range, version.epk)))
      return partition
    })
    .sort((a, b) => (a.range.min < b.range.min ? -1 : 1))
}

function restoredVersions(
  documents: Iterable<KeptDocument>,
  shared: Pick<DocumentHome, 'containerRid' | 'memory'>,
): readonly DocumentVersion[] {
  const { containerRid, memory } = shared
  const homes = new Map<string, DocumentHome>()
  return Array.from(documents, (document) => {
    const { keyText, epk } = document
    let home = homes.get(keyText)
    if (home === undefined) {
      home = { keyText, epk, containerRid, memory }
      homes.set(keyText, home)
    }
    return new DocumentVersion(home, document, null)
  })
}

import type { ColdDocuments, ColdOwner } from './cold/cold-documents.js'
import {
  documentRecord,
  removalRecord,
  type Journal,
  type JournalRecord,
  type RecoveredDocument,
} from './changes/journal.js'
import { contains } from './partitions/key-ranges.js'
import type { PhysicalPartition } from './partitions/physical-partition.js'

/** A container whose indexes do not know its documents yet. */
interface Recovering extends ColdOwner {
  readonly cold: ColdDocuments | null
  readonly partitions: readonly PhysicalPartition[]
  readonly journal: Journal
}

/** Connects a container with its cold documents, and takes into memory the documents that only the journal has. */
export function recover(documents: readonly RecoveredDocument[], container: Recovering): void {
  const { rid, cold, partitions, journal } = container
  cold?.belongTo(container)
  if (cold === null || documents.length === 0) return
  const records: JournalRecord[] = []
  const versions = documents.flatMap(({ number, kept }) => {
    if (kept !== null) return [cold.recovered(kept)]
    cold.remove(number)
    const stored = (): void => {
      cold.removalStored(number)
    }
    records.push(removalRecord(rid, number, stored))
    return []
  })
  for (const partition of partitions) {
    partition.recover(versions.filter(({ epk }) => contains(partition.range, epk)))
  }
  journal.recover([...records, ...versions.map((version) => documentRecord(rid, version))])
}

/** Returns documents by the rids of their containers. */
export function recoveredIn(
  documents: Iterable<RecoveredDocument>,
): ReadonlyMap<string, readonly RecoveredDocument[]> {
  const found = new Map<string, RecoveredDocument[]>()
  for (const document of documents) {
    const own = found.get(document.containerRid)
    if (own === undefined) found.set(document.containerRid, [document])
    else own.push(document)
  }
  return found
}

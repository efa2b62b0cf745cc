import type { ChangeHistory } from './change-history.js'
import type { Journal, JournalRecord } from './journal.js'
import type { PhysicalPartition } from '../partitions/physical-partition.js'
import { badRequest } from '../values/refusal.js'
import type { VersionChange } from './version-change.js'

/** The parts of a container that its history needs. */
export interface HistoryOwner {
  readonly id: string
  readonly rid: string
  /** Null for a container that keeps no history. */
  readonly history: ChangeHistory | null
  readonly partitions: readonly PhysicalPartition[]
  readonly journal: Journal
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Deletes at most this many expired documents. */
  purgeExpired(limit: number): void
}

/**
 * Returns the history after deleting expired documents and forgetting changes older than the retention. Refuses a
 * container that has no history.
 */
export function currentHistory(container: HistoryOwner): ChangeHistory {
  const { history } = container
  if (history === null) {
    throw badRequest(
      `The container '${container.id}' has no changeFeedPolicy, so not every version is kept. Set its retentionDuration.`,
    )
  }
  container.purgeExpired(Infinity)
  container.journal.append(forgetChanges(container))
  return history
}

/** Adds the changes of one transaction to the history, if there is one, and returns the records to write. */
export function recordChanges(
  container: HistoryOwner,
  partition: PhysicalPartition,
  changes: readonly VersionChange[],
): readonly JournalRecord[] {
  const { history, rid: containerRid } = container
  if (history === null || changes.length === 0) return []
  history.add(container.partitions, partition, changes)
  const written = changes.map((change) => ({ kind: 'change', containerRid, change }) as const)
  return [...written, ...forgetChanges(container)]
}

/** Returns the record to write for a partition: its range, its LSN and the number of its newest document. */
export function partitionRecord(
  { rid, lastDocumentNumber }: Pick<HistoryOwner, 'rid'> & { readonly lastDocumentNumber: number },
  { identity: { id, range, parents }, lsn }: PhysicalPartition,
): JournalRecord {
  const { min, max } = range
  return {
    kind: 'partition',
    partition: { containerRid: rid, id, min, max, parents, lsn, lastDocumentNumber },
  }
}

/** Returns the records to write for a history that has just begun. */
export function historyRecords({ history, rid: containerRid }: HistoryOwner): readonly JournalRecord[] {
  return history === null ? [] : [{ kind: 'historyFloors', containerRid, floors: history.floors }]
}

function forgetChanges(container: HistoryOwner): readonly JournalRecord[] {
  const { history, partitions, rid: containerRid } = container
  const forgotten = history?.forget(partitions, Math.floor(container.now() / 1000)) ?? null
  if (forgotten === null) return []
  return [
    ...forgotten.changes.map((change) => ({ kind: 'changeForgotten', containerRid, change }) as const),
    { kind: 'historyFloors', containerRid, floors: forgotten.floors },
  ]
}

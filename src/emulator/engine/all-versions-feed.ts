import { resolveStart, type ChangeFeedRequest } from './change-feed.js'
import { feedCharge } from './values/charges.js'
import type { Container } from './container.js'
import type { ChangeHistory } from './changes/change-history.js'
import { contains, type KeyRange } from './partitions/key-ranges.js'
import { limits } from './values/limits.js'
import type { PhysicalPartition } from './partitions/physical-partition.js'
import { badRequest } from './values/refusal.js'
import { changeText, epkOf, keyTextOf } from './changes/version-change.js'

/** A page of changes in the form that clients see, in the order in which the changes were made. */
export interface AllVersionsPage {
  readonly texts: readonly string[]
  /** The LSN after which the reader continues. The reader has seen every change up to this LSN. */
  readonly lsn: number
  readonly charge: number
}

/**
 * Reads one page of the feed that shows every change, including deletes. A page never ends in the middle of a
 * transaction. Expired documents are deleted first, so that these deletes appear without waiting for a write.
 */
export function readAllVersions(
  container: Container,
  partition: PhysicalPartition,
  request: ChangeFeedRequest,
): AllVersionsPage {
  const { range, keyText } = request
  const history = currentHistory(container)
  const startLsn = startOf(partition, request)
  if (!history.isKept(scopeOf(partition, request), startLsn)) throw outsideRetention()
  const texts: string[] = []
  let bytes = 0
  let lsn = startLsn
  for (const change of history.after(partition, startLsn)) {
    if (range !== undefined && !contains(range, epkOf(change))) continue
    if (keyText !== undefined && keyTextOf(change) !== keyText) continue
    const isFull = texts.length >= request.maxItemCount || bytes > limits.responseBytes
    if (isFull && change.lsn !== lsn) return { texts, lsn, charge: feedCharge(bytes) }
    const text = changeText(change, container.definition.partitionKey)
    texts.push(text)
    bytes += Buffer.byteLength(text)
    lsn = change.lsn
  }
  return { texts, lsn: partition.lsn, charge: feedCharge(bytes) }
}

/** Deletes expired documents, forgets changes older than the retention, and returns the history. */
function currentHistory(container: Container): ChangeHistory {
  const { history } = container
  if (history === null) {
    throw badRequest(
      `The container '${container.id}' has no changeFeedPolicy, so it does not keep every version. Set a ` +
        'changeFeedPolicy with a retentionDuration.',
    )
  }
  container.purgeExpired(Infinity)
  container.journal.append(history.forget(container.seconds))
  return history
}

/**
 * Returns the LSN after which to start. This feed cannot start at the beginning or at a date, because changes
 * older than the retention are not kept.
 */
function startOf(partition: PhysicalPartition, { start }: ChangeFeedRequest): number {
  if (start.kind === 'beginning' || start.kind === 'time') throw outsideRetention()
  return resolveStart(partition, start)
}

function scopeOf(partition: PhysicalPartition, request: ChangeFeedRequest): KeyRange {
  const { epk, range = partition.range } = request
  return epk === undefined ? range : { min: epk, max: `${epk}0` }
}

function outsideRetention(): Error {
  return badRequest('You must read the change feed from within the retention period.')
}

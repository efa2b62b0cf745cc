import { feedCharge } from './values/charges.js'
import type { Container } from './container.js'
import { lastSequenceOf, type DocumentVersion } from './values/document-version.js'
import { contains, type KeyRange } from './partitions/key-ranges.js'
import { limits } from './values/limits.js'
import type { PhysicalPartition } from './partitions/physical-partition.js'

/** The position at which to start reading the feed of one physical partition. */
export type ChangeFeedStart =
  | { readonly kind: 'beginning' }
  | { readonly kind: 'now' }
  /** Changes since the second that contains the instant `atMs`, in milliseconds since the epoch. */
  | { readonly kind: 'time'; readonly atMs: number }
  /** Changes after the transaction with this LSN. */
  | { readonly kind: 'after'; readonly lsn: number }

/** The changes of a physical partition that a request asks for. */
export interface ChangeFeedRequest {
  readonly start: ChangeFeedStart
  /** A part of the partition's range. */
  readonly range?: KeyRange | undefined
  /** One partition key, as `partitionKeyText` writes it. */
  readonly keyText?: string
  /** The effective partition key of the key in `keyText`. */
  readonly epk?: string
  readonly maxItemCount: number
}

/** A page of documents, each in its latest version, in the order of their last changes. */
export interface ChangeFeedPage {
  readonly versions: readonly DocumentVersion[]
  /** The LSN after which the reader continues. The reader has seen every change up to this LSN. */
  readonly lsn: number
  /** True if there are currently no changes after this page. */
  readonly isDrained: boolean
  readonly charge: number
}

/**
 * Reads one page. Documents of one transaction share an LSN and stay together, even if the page becomes
 * longer than requested. A position is an LSN, so a reader could not ask for the rest of a transaction.
 */
export function readChanges(
  container: Container,
  partition: PhysicalPartition,
  request: ChangeFeedRequest,
): ChangeFeedPage {
  const startLsn = resolveStart(partition, request.start)
  const versions: DocumentVersion[] = []
  let bytes = 0
  let isDrained = true
  for (const version of changesAfter(partition, startLsn, request)) {
    if (container.isExpired(version)) continue
    const isFull = versions.length >= request.maxItemCount || bytes + version.bytes > limits.responseBytes
    if (isFull && versions.length > 0 && version.lsn !== versions.at(-1)?.lsn) {
      isDrained = false
      break
    }
    versions.push(version)
    bytes += version.bytes
  }
  const lsn = isDrained ? partition.lsn : (versions.at(-1)?.lsn ?? startLsn)
  return { versions, lsn, isDrained, charge: feedCharge(bytes) }
}

/** Returns an LSN after which a reader finds every change that the start asks for. */
export function resolveStart(partition: PhysicalPartition, start: ChangeFeedStart): number {
  switch (start.kind) {
    case 'beginning':
      return 0
    case 'now':
      return partition.lsn
    case 'after':
      // If data was lost, this position may be ahead of the partition. It would then hide later writes.
      return Math.min(start.lsn, partition.lsn)
    case 'time': {
      const second = Math.floor(start.atMs / 1000)
      for (const version of partition.changes.after(0)) {
        if (version.fields.ts >= second) return version.lsn - 1
      }
      return partition.lsn
    }
  }
}

function* changesAfter(
  partition: PhysicalPartition,
  lsn: number,
  request: ChangeFeedRequest,
): Generator<DocumentVersion, void, undefined> {
  const { range, keyText } = request
  if (keyText !== undefined) {
    // Sorting the documents of one key costs less than reading the whole log, although the log is sorted
    // already.
    const own = [...partition.documentsOf(keyText)].filter((version) => version.lsn > lsn)
    yield* own.sort((a, b) => a.sequence - b.sequence)
    return
  }
  for (const version of partition.changes.after(lastSequenceOf(lsn))) {
    if (range === undefined || contains(range, version.fields.epk)) yield version
  }
}

import type { DocumentVersion, VersionFields } from '../values/document-version.js'
import type { PartitionKeyDefinition } from '../partitions/partition-key.js'

/** What happened to one document in one transaction, with what it was and what it became. */
export interface VersionChange {
  readonly kind: 'create' | 'replace' | 'delete'
  readonly lsn: number
  /** The place within its transaction. */
  readonly place: number
  /** Seconds since the epoch. */
  readonly ts: number
  /** Null after a delete. */
  readonly current: VersionFields | null
  /** Null before a create. */
  readonly previous: VersionFields | null
  /** A delete that nobody asked for: the time to live was over. */
  readonly isExpired: boolean
}

/** The delete of a document whose time to live is over. */
export function expiryOf(
  { fields }: DocumentVersion,
  at: Pick<VersionChange, 'lsn' | 'place' | 'ts'>,
): VersionChange {
  return { kind: 'delete', ...at, current: null, previous: fields, isExpired: true }
}

/** Where the change's document is in the key space. */
export function epkOf(change: VersionChange): string {
  return documentOf(change).epk
}

export function keyTextOf(change: VersionChange): string {
  return documentOf(change).keyText
}

/** The change as the all-versions feed shows it. `previousImageLSN` and, for a delete, id and key only where they apply. */
export function changeText(change: VersionChange, { paths }: PartitionKeyDefinition): string {
  const { kind, lsn, ts, current, previous, isExpired } = change
  const metadata = {
    lsn,
    crts: ts,
    operationType: kind,
    ...(previous === null ? {} : { previousImageLSN: previous.lsn }),
    ...(kind === 'delete'
      ? {
          timeToLiveExpired: isExpired,
          id: documentOf(change).id,
          partitionKey: namedKey(keyTextOf(change), paths),
        }
      : {}),
  }
  const before = previous === null ? '' : `,"previous":${previous.text}`
  return `{"current":${current?.text ?? '{}'}${before},"metadata":${JSON.stringify(metadata)}}`
}

function documentOf({ current, previous }: VersionChange): VersionFields {
  const fields = current ?? previous
  if (fields === null)
    throw new RangeError('a change is of a document: it has a current or a previous version')
  return fields
}

/** The key by the names of its paths; a level that the document lacks is left out. */
function namedKey(keyText: string, paths: readonly string[]): Readonly<Record<string, unknown>> {
  const values = JSON.parse(keyText) as readonly unknown[]
  const named = paths.map((path, index) => [path.slice(1), values[index]] as const)
  return Object.fromEntries(named.filter(([, value]) => typeof value !== 'object' || value === null))
}

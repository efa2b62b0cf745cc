import type { DocumentVersion, VersionFields } from '../values/document-version.js'
import type { PartitionKeyDefinition } from '../partitions/partition-key.js'

/** The change of one document in one transaction, with the document's state before and after. */
export interface VersionChange {
  readonly kind: 'create' | 'replace' | 'delete'
  readonly lsn: number
  /** The position of the change within its transaction. */
  readonly place: number
  /** Seconds since the epoch. */
  readonly ts: number
  /** Null after a delete. */
  readonly current: VersionFields | null
  /** Null before a create. */
  readonly previous: VersionFields | null
  /** Whether the document was deleted because its time to live was over, and not by a request. */
  readonly isExpired: boolean
}

export function expiryOf(
  { fields }: DocumentVersion,
  at: Pick<VersionChange, 'lsn' | 'place' | 'ts'>,
): VersionChange {
  return { kind: 'delete', ...at, current: null, previous: fields, isExpired: true }
}

/** Returns the effective partition key of the change's document. */
export function epkOf(change: VersionChange): string {
  return documentOf(change).epk
}

export function keyTextOf(change: VersionChange): string {
  return documentOf(change).keyText
}

/**
 * Returns the change as JSON text of the all-versions feed. `previousImageLSN` is present only if there is a
 * previous version. The id and the partition key are present only for a delete.
 */
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
  if (fields === null) throw new RangeError('a change must have a current or a previous version')
  return fields
}

/**
 * Returns the values of a partition key by the names of its paths. Leaves out levels that the document lacks.
 */
function namedKey(keyText: string, paths: readonly string[]): Readonly<Record<string, unknown>> {
  const values = JSON.parse(keyText) as readonly unknown[]
  const named = paths.map((path, index) => [path.slice(1), values[index]] as const)
  return Object.fromEntries(named.filter(([, value]) => typeof value !== 'object' || value === null))
}

import type { Change, VersionChange } from './change-feed.js'

/** A change of either feed. */
export type AnyChange = Change | VersionChange

/** Identifies a change among all changes of its container. */
export interface ChangeIdentity {
  readonly id: string
  /** The etag of the version, or the number of the transaction that made the change. */
  readonly version: string
}

type Fields = Readonly<Record<string, unknown>>

/** Returns the sequence number of the transaction that made the change. */
export function lsnOf(change: AnyChange): number {
  return isVersionChange(change) ? change.metadata.lsn : change._lsn
}

/** Returns the time of the change by the store's clock, in milliseconds since the epoch, to the second. */
export function madeAtMs(change: AnyChange): number {
  return 1_000 * (isVersionChange(change) ? change.metadata.crts : change._ts)
}

/** Returns the document's id and the version that the change made. */
export function identityOf(change: AnyChange): ChangeIdentity {
  if (!isVersionChange(change)) return { id: change.id, version: change._etag }
  const { lsn, id } = change.metadata
  return { id: id ?? textOf(change.current['id']), version: String(lsn) }
}

/** Returns the values of the document's partition key, in the order of its paths. A missing value is null. */
export function partitionKeyOf(change: AnyChange, paths: readonly string[]): readonly unknown[] {
  if (!isVersionChange(change)) return paths.map((path) => valueAt(change, path))
  const { current, previous, metadata } = change
  if (metadata.operationType !== 'delete') return paths.map((path) => valueAt(current, path))
  const { partitionKey } = metadata
  return paths.map((path) => partitionKey?.[path.slice(1)] ?? valueAt(previous ?? {}, path))
}

/**
 * Checks whether a change is from the feed of all versions, which has no `_lsn`. Only this field is certain:
 * the service sets it, while a field such as `metadata` may also occur in a user's document.
 */
function isVersionChange(change: AnyChange): change is VersionChange {
  return !('_lsn' in change)
}

function valueAt(document: Fields, path: string): unknown {
  let value: unknown = document
  for (const name of path.split('/').slice(1))
    value = typeof value === 'object' && value !== null ? (value as Fields)[name] : undefined
  return value ?? null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

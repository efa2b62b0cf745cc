import type { Change, VersionChange } from './change-feed.js'

/** A change of either feed. */
export type AnyChange = Change | VersionChange

/** What names a change apart from all others of its container. */
export interface ChangeIdentity {
  readonly id: string
  /** Tells this version of the document from its others: its etag, or the transaction that deleted it. */
  readonly version: string
}

type Fields = Readonly<Record<string, unknown>>

/** The sequence number of the transaction that made the change. */
export function lsnOf(change: AnyChange): number {
  return isVersionChange(change) ? change.metadata.lsn : change._lsn
}

/** When the change was made, by the store's clock, milliseconds since the epoch, to the second. */
export function madeAtMs(change: AnyChange): number {
  return 1_000 * (isVersionChange(change) ? change.metadata.crts : change._ts)
}

/** Which document changed, and into which version. */
export function identityOf(change: AnyChange): ChangeIdentity {
  if (!isVersionChange(change)) return { id: change.id, version: change._etag }
  const { lsn, id } = change.metadata
  return { id: id ?? textOf(change.current['id']), version: String(lsn) }
}

/** The values of the document's partition key, by its paths; a value that is missing is null. */
export function partitionKeyOf(change: AnyChange, paths: readonly string[]): readonly unknown[] {
  if (!isVersionChange(change)) return paths.map((path) => valueAt(change, path))
  const { current, previous, metadata } = change
  if (metadata.operationType !== 'delete') return paths.map((path) => valueAt(current, path))
  const { partitionKey } = metadata
  return paths.map((path) => partitionKey?.[path.slice(1)] ?? valueAt(previous ?? {}, path))
}

/** By its shape: a document's own fields are the user's, but `_lsn` is the service's, and only latest versions have it. */
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

import type { Change, VersionChange } from './change-feed.js'

/**
 * Converts documents of the service to changes. A document without a required field is refused together with
 * its whole page, so no change is left out silently. The error names the document's index and id.
 */

type Fields = Readonly<Record<string, unknown>>

const operations: readonly unknown[] = ['create', 'replace', 'delete']

/** Returns a change of the feed of latest versions. */
export function decodeChange(value: unknown, index: number): Change {
  const fields = fieldsOf(value, index)
  const { id, _etag, _ts, _lsn } = fields
  if (typeof id !== 'string') throw undecodable(index, id, `its id is ${JSON.stringify(id)}, not a string`)
  if (typeof _etag !== 'string') throw undecodable(index, id, 'it has no _etag')
  if (typeof _ts !== 'number') throw undecodable(index, id, 'it has no _ts')
  if (typeof _lsn !== 'number') throw undecodable(index, id, 'it has no _lsn')
  return fields as Change
}

/** Returns a change of the feed of all versions. */
export function decodeVersionChange(value: unknown, index: number): VersionChange {
  const { current, previous, metadata } = fieldsOf(value, index)
  if (!isFields(metadata)) throw undecodable(index, undefined, 'it has no metadata')
  const { lsn, crts, operationType } = metadata
  const named = isFields(current) ? (current['id'] ?? metadata['id']) : metadata['id']
  if (!operations.includes(operationType))
    throw undecodable(index, named, `its operationType is ${JSON.stringify(operationType)}`)
  if (typeof lsn !== 'number' || typeof crts !== 'number')
    throw undecodable(index, named, 'it has no lsn or no crts')
  if (operationType !== 'delete' && !isFields(current))
    throw undecodable(index, named, 'it has no current version')
  return {
    current: isFields(current) ? current : {},
    ...(isFields(previous) ? { previous } : {}),
    metadata: metadata as VersionChange['metadata'],
  }
}

function fieldsOf(value: unknown, index: number): Fields {
  if (!isFields(value)) throw undecodable(index, undefined, `it is ${JSON.stringify(value)}, not an object`)
  return value
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function undecodable(index: number, id: unknown, reason: string): Error {
  const name = typeof id === 'string' ? ` (id ${JSON.stringify(id)})` : ''
  return new Error(`change ${index} of the page${name} cannot be understood: ${reason}`)
}

import { isJsonObject, parsedJson, type DocumentVersion } from '../../engine/index.js'
import type { CompiledQuery } from '../../query/index.js'
import { compareValues, memberOf } from '../../query/values/values.js'
import type { IndexReading } from '../../indexes/reading-request.js'
import type { ComputedRow, Pause, Place } from './computed-rows.js'

type OrderedQuery = Pick<CompiledQuery, 'order' | 'rowsOf' | 'pageMs'>

/** The time in milliseconds after which a page ends early if its query can continue later. */
const longPageMs = 100

/**
 * Yields the rows of a query with ORDER BY after a place, at most `most`. Without a place, yields the first rows. If the
 * page has taken long and the reading can continue, ends the page early.
 */
export function* orderedRows(
  query: OrderedQuery,
  { versions, isOrdered, canContinue = false }: IndexReading,
  { after, most }: { readonly after: Place | null; readonly most: number },
): Generator<ComputedRow | Pause, void, undefined> {
  const documents = read(query, versions, after)
  const compare = comparing(query)
  const inOrder = isOrdered
    ? documents
    : [...documents].filter(hasRows).sort((one, other) => compare(one.place, other.place))
  let left = most
  if (left <= 0) return
  let begunMs: number | null = null
  for (const { place, found } of inOrder) {
    const { keys, number } = place
    begunMs ??= query.pageMs()
    for (let index = place.rows; index < found.length; index += 1) {
      yield { row: found[index], place: { keys, number, rows: index + 1 } }
      left -= 1
      if (left <= 0) return
    }
    // A page may read many blocks before it comes to its place. The longer this takes, the longer it goes on.
    if (!canContinue || query.pageMs() < longPageMs + 3 * begunMs) continue
    const pausedAt = { keys, number, rows: found.length }
    if (placeText(pausedAt) !== undefined) yield { pausedAt }
  }
}

interface ReadDocument {
  /** The place before the first row that is wanted. */
  readonly place: Place
  /** The rows of the document. Empty if it does not match. */
  readonly found: readonly unknown[]
}

function hasRows({ place, found }: ReadDocument): boolean {
  return found.length > place.rows
}

function* read(
  query: OrderedQuery,
  versions: Iterable<DocumentVersion>,
  after: Place | null,
): Generator<ReadDocument, void, undefined> {
  const compare = comparing(query)
  for (const version of versions) {
    const key = keyed(query, version)
    const side = after === null ? 1 : compare(key, after)
    if (side < 0) continue
    const found = query.rowsOf(version.document)
    const rows = side === 0 ? (after?.rows ?? 0) : 0
    // A page must not end at the place where it began.
    if (side > 0 || found.length > rows) yield { place: { ...key, rows }, found }
  }
}

/** Yields the versions that may have rows after a place in the order. */
export function* withRowsAfter(
  query: OrderedQuery,
  versions: Iterable<DocumentVersion>,
  place: Place,
): Generator<DocumentVersion, void, undefined> {
  const compare = comparing(query)
  for (const version of versions) {
    const side = compare(keyed(query, version), place)
    if (side > 0 || (side === 0 && query.rowsOf(version.document).length > place.rows)) yield version
  }
}

/** Returns what decides the place of a document in the order. */
function keyed({ order }: OrderedQuery, version: DocumentVersion): Omit<Place, 'rows'> {
  const keys = order.map(({ steps }) => steps.reduce<unknown>(memberOf, version.document))
  return { keys, number: version.fields.number }
}

type Compare = (one: Omit<Place, 'rows'>, other: Omit<Place, 'rows'>) => number

function comparing({ order }: OrderedQuery): Compare {
  return (one, other) => {
    for (const [index, { isDescending }] of order.entries()) {
      const difference = compareValues(one.keys[index], other.keys[index])
      if (difference !== 0) return isDescending ? -difference : difference
    }
    return one.number - other.number
  }
}

/** The longest place that a header should contain. Many clients accept 16 KB of headers. */
const longestPlace = 4_000

/**
 * Writes a place for a continuation, with ASCII characters only. A missing value is an empty array. Returns
 * undefined if the place is too long for a header.
 */
export function placeText({ keys, number, rows }: Place): string | undefined {
  const values = keys.map((key) => (key === undefined ? [] : [key]))
  const text = JSON.stringify([values, number, rows]).replaceAll(/[^\x20-\x7e]/g, escaped)
  return text.length > longestPlace ? undefined : text
}

/** Escapes one UTF-16 unit. */
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Reads the place in a continuation. Returns null if it has none, and undefined if the place is invalid. */
export function placeIn(continuation: string, { order }: OrderedQuery): Place | null | undefined {
  const parsed = parsedJson(continuation)
  const place = isJsonObject(parsed) ? parsed['place'] : undefined
  if (place === undefined) return null
  if (!Array.isArray(place)) return undefined
  const [values, number, rows] = place as readonly unknown[]
  const isValid = Array.isArray(values) && values.length === order.length && values.every(Array.isArray)
  if (!isValid || !Number.isSafeInteger(number) || !Number.isSafeInteger(rows)) return undefined
  const keys = (values as readonly (readonly unknown[])[]).map(([key]) => key)
  return { keys, number: number as number, rows: Math.max(0, rows as number) }
}

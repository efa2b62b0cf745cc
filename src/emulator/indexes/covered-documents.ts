import type { JsonObject } from '../engine/index.js'
import type { CountedDocument } from '../query/index.js'
import type { DocumentIndex } from './document-index.js'

/** A path of names, and an index over this path. */
export interface CoveringIndex {
  readonly path: readonly string[]
  readonly index: DocumentIndex
}

/**
 * Yields what indexes know of documents: objects with only the values at certain paths. For a query that reads
 * nothing else, they are as good as the documents, which need not be read or parsed. No path is inside another.
 */
export function* coveredDocuments(
  numbers: Iterable<number>,
  indexes: readonly CoveringIndex[],
): Generator<CountedDocument, void, undefined> {
  for (const number of numbers) {
    yield [documentOf(indexes.map(({ path, index }) => [path, index.valueOf(number)])), 1]
  }
}

/** Returns a document that has only these values. */
export function documentOf(
  values: readonly (readonly [path: readonly string[], value: unknown])[],
): Readonly<JsonObject> {
  const document: JsonObject = {}
  for (const [path, value] of values) put(document, path, value)
  return document
}

function put(document: JsonObject, [name, ...others]: readonly string[], value: unknown): void {
  if (name === undefined || value === undefined) return
  if (others.length === 0) {
    define(document, name, value)
    return
  }
  const inner = Object.hasOwn(document, name) ? (document[name] as JsonObject) : {}
  define(document, name, inner)
  put(inner, others, value)
}

/** Sets a property, even if its name is `__proto__`. */
function define(document: JsonObject, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(document, name, { value, enumerable: true, configurable: true, writable: true })
  } else document[name] = value
}

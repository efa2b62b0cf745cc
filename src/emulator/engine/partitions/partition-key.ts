import type { PartitionKeyValue } from './effective-partition-key.js'
import { isJsonObject, parsedJson, type JsonObject } from '../values/json.js'
import { limits } from '../values/limits.js'
import { badRequest, substatus } from '../values/refusal.js'

/** The part of a container's definition that says how its documents are distributed. */
export interface PartitionKeyDefinition {
  /** The paths, such as `/pk` or `/address/city`. Several paths form a hierarchical key. */
  readonly paths: readonly string[]
  readonly kind: 'Hash' | 'MultiHash'
  /** The version of the hash. A hierarchical key always has version 2. */
  readonly version: 1 | 2
  /** True for a container that a client created without a partition key. Its path is `/_partitionKey`. */
  readonly systemKey?: true
}

/** A partition key with one value for each path. */
export type PartitionKey = readonly PartitionKeyValue[]

/** Reads a key from a header. Clients send a JSON array in which `{}` represents a missing value. */
export function parsePartitionKey(text: string, definition: PartitionKeyDefinition): PartitionKey {
  return checkedPartitionKey(parseValues(text, definition), definition)
}

/** Reads a key like `parsePartitionKey`, but the last levels of a hierarchical key may be missing. */
export function parsePartitionKeyPrefix(text: string, definition: PartitionKeyDefinition): PartitionKey {
  const values = parseValues(text, definition)
  return checkedPartitionKey(values, { ...definition, paths: definition.paths.slice(0, values.length) })
}

function parseValues(text: string, definition: PartitionKeyDefinition): readonly unknown[] {
  const parsed = parsedJson(text)
  // An empty object alone also means that every value is missing.
  if (isJsonObject(parsed) && Object.keys(parsed).length === 0) return definition.paths.map(() => undefined)
  if (!Array.isArray(parsed)) {
    throw badRequest(
      `The partition key header is ${text.slice(0, 100)}; it must be a JSON array with one value per path.`,
    )
  }
  const values: readonly unknown[] = parsed.length === 0 ? definition.paths.map(() => ({})) : parsed
  return values.map((value) => (isJsonObject(value) && Object.keys(value).length === 0 ? undefined : value))
}

/** Returns the key of a document. An object or an array at a path of the key counts as missing. */
export function partitionKeyOf(document: JsonObject, definition: PartitionKeyDefinition): PartitionKey {
  const values = definition.paths.map((path) => {
    const value = valueAtPath(document, path)
    return typeof value === 'object' && value !== null ? undefined : value
  })
  return checkedPartitionKey(values, definition)
}

export function checkedPartitionKey(
  values: readonly unknown[],
  definition: PartitionKeyDefinition,
): PartitionKey {
  if (values.length !== definition.paths.length) {
    const comparison = values.length < definition.paths.length ? 'fewer' : 'more'
    throw badRequest(
      `The partition key supplied in x-ms-partitionkey header has ${comparison} components than defined in the ` +
        `collection: ${values.length} for the paths ${definition.paths.join(', ')}.`,
      substatus.partitionKeyMismatch,
    )
  }
  return values.map((value, index) => checkedValue(value, definition.paths[index] ?? ''))
}

/** Returns the text by which documents are looked up. Equal keys give equal texts. */
export function partitionKeyText(key: PartitionKey): string {
  return JSON.stringify(key.map((value) => (value === undefined ? {} : value)))
}

/** Refuses a document whose own key differs from the given key. */
export function assertKeyMatches(
  document: JsonObject,
  given: string,
  definition: PartitionKeyDefinition,
): void {
  if (hasPlainKey(document, given, definition)) return
  const own = partitionKeyText(partitionKeyOf(document, definition))
  if (own === given) return
  throw badRequest(
    "PartitionKey extracted from document doesn't match the one specified in the header: the header has " +
      `${given}, and the document has ${own} (${definition.paths.join(', ')}).`,
    substatus.partitionKeyMismatch,
  )
}

/** Checks whether the only component of a document's key is the given one. False may be wrong, but it saves the work. */
function hasPlainKey(document: JsonObject, given: string, { paths }: PartitionKeyDefinition): boolean {
  const [path, ...others] = paths
  if (path === undefined || others.length > 0) return false
  const value = valueAtPath(document, path)
  // In JSON, a backslash is part of the text of another character.
  return typeof value === 'string' && !value.includes('\\') && given === `["${value}"]`
}

/** Returns the value at a path such as `/address/city`, or undefined if the document has no such value. */
export function valueAtPath(document: Readonly<JsonObject>, path: string): unknown {
  const only = path.slice(1)
  if (!only.includes('/')) return Object.hasOwn(document, only) ? document[only] : undefined
  let value: unknown = document
  for (const name of path.split('/').slice(1)) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

function checkedValue(value: unknown, path: string): PartitionKeyValue {
  // Turns −0 into 0. In JSON both are the same key, but their hashes differ.
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value
  if (value === null || value === undefined || typeof value === 'boolean') return value
  if (typeof value !== 'string') {
    throw badRequest(
      `The partition key ${path} is an object, an array or an infinite number; it must be a single value.`,
    )
  }
  if (Buffer.byteLength(value) > limits.partitionKeyValueBytes) {
    throw badRequest(
      `The partition key ${path} has more than ${limits.partitionKeyValueBytes} bytes; shorten it.`,
    )
  }
  return value
}

import type { DocumentVersion } from '../values/document-version.js'
import { isJsonObject, type JsonObject } from '../values/json.js'
import { limits } from '../values/limits.js'
import { valueAtPath } from '../partitions/partition-key.js'
import { badRequest } from '../values/refusal.js'

/** Paths whose combined values must differ between the documents of one partition key. */
export type UniqueKey = readonly string[]

export function parseUniqueKeys(policy: unknown): readonly UniqueKey[] {
  if (policy === undefined || policy === null) return []
  const keys = isJsonObject(policy) ? (policy['uniqueKeys'] ?? []) : undefined
  if (!Array.isArray(keys)) {
    throw badRequest('A uniqueKeyPolicy must look like { "uniqueKeys": [{ "paths": ["/email"] }] }.')
  }
  if (keys.length > limits.uniqueKeys) {
    throw badRequest(`The uniqueKeyPolicy has ${keys.length} unique keys; the limit is ${limits.uniqueKeys}.`)
  }
  return keys.map((key: unknown) => parseUniqueKey(isJsonObject(key) ? key['paths'] : undefined))
}

function parseUniqueKey(paths: unknown): UniqueKey {
  if (!Array.isArray(paths) || paths.length === 0 || paths.length > limits.uniqueKeyPaths) {
    const found = Array.isArray(paths) ? paths.length : 'no list of'
    throw badRequest(`A unique key must have 1 to ${limits.uniqueKeyPaths} paths; it has ${found} paths.`)
  }
  return paths.map((path: unknown) => {
    if (typeof path === 'string' && /^(\/[^/"*[\]]+)+$/u.test(path)) return path
    throw badRequest(`The unique key path ${JSON.stringify(path)} must look like /name or /outer/inner.`)
  })
}

/**
 * Returns one text for each unique key. No other document with the same partition key may have the same text.
 * A missing value counts as null.
 */
export function uniqueKeyTexts(
  document: Readonly<JsonObject>,
  keys: readonly UniqueKey[],
): readonly string[] {
  return keys.map((paths, index) => {
    const values = paths.map((path) => canonical(valueAtPath(document, path) ?? null))
    return `${index}:${JSON.stringify(values)}`
  })
}

/** Sorts properties, because clients may send the properties of equal objects in different orders. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isJsonObject(value)) return value
  const names = Object.keys(value).sort()
  return { properties: names.map((name) => [name, canonical(value[name])]) }
}

/** Finds the document that holds a combination of unique values. Splits do not affect the entries. */
export class UniqueKeyIndex {
  private readonly holders = new Map<string, string>()

  constructor(readonly keys: readonly UniqueKey[]) {}

  /** Returns the id of the document that holds the text. The document may have expired. */
  holder(keyText: string, text: string): string | undefined {
    return this.holders.get(`${keyText}${text}`)
  }

  add(version: DocumentVersion): void {
    for (const text of this.textsOf(version)) this.holders.set(text, version.id)
  }

  remove(version: DocumentVersion): void {
    for (const text of this.textsOf(version)) {
      // Another document may have taken over the values of an expired document.
      if (this.holders.get(text) === version.id) this.holders.delete(text)
    }
  }

  private textsOf(version: DocumentVersion): readonly string[] {
    if (this.keys.length === 0) return []
    const { keyText } = version
    return uniqueKeyTexts(version.seen, this.keys).map((text) => `${keyText}${text}`)
  }
}

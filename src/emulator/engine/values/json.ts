/** A parsed JSON object that the engine may keep, because no other code holds it. */
export type JsonObject = Record<string, unknown>

/** Returns the value of a JSON text, or undefined if the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Returns a value of a request as text: a string as it is, and another value as JSON. `String` would throw
 * for an object with its own `toString`, and would make `["a"]` look like `a`.
 */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Checks whether `value` is a JSON object, not an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

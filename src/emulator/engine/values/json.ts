/** A parsed JSON object that no other code holds, so that the engine may keep it. */
export type JsonObject = Record<string, unknown>

/** Checks whether `value` is a JSON object, not an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A JSON object as parsed: nobody else holds it, so that the engine may keep it. */
export type JsonObject = Record<string, unknown>

/** Whether `value` is a JSON object, not an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

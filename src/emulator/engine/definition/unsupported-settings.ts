import { isJsonObject, type JsonObject } from '../values/json.js'
import { notSupported } from '../values/refusal.js'

/** Settings that the emulator does not support, each with the feature that the setting asks for. */
const features: readonly (readonly [path: string, feature: string])[] = [
  ['clientEncryptionPolicy', 'Client-side encryption'],
  ['materializedViewDefinition', 'A materialized view'],
  ['analyticalStorageTtl', 'The analytical store'],
]

/**
 * Refuses container settings that would have no effect. Ignores empty settings, because they ask for nothing.
 */
export function refuseUnsupportedSettings(body: JsonObject): void {
  for (const [path, feature] of features) {
    if (!isEmpty(settingAt(body, path))) throw notSupported(`${feature} (${path})`)
  }
}

function settingAt(body: JsonObject, path: string): unknown {
  return path
    .split('/')
    .reduce<unknown>((holder, name) => (isJsonObject(holder) ? holder[name] : undefined), body)
}

/** Checks whether a setting asks for nothing. Clients may send an unset setting in any of these forms. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true
  if (Array.isArray(value)) return value.length === 0
  return isJsonObject(value) && Object.values(value).every((inner) => isEmpty(inner))
}

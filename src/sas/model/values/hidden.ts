import type { Json } from './json.js'
import { isTicket } from './ticket.js'

/** The names that lead to a secret part of a value. `*` stands for every name and every item. */
export type SecretPath = readonly string[]

/** The text that people see in place of a secret. */
export const hiddenText = '•••• secret'

/**
 * The shortest text that is also hidden within other texts. Shorter ones, such as `yes`, would hide ordinary
 * words.
 */
const shortestText = 4

/**
 * Returns the path of a secret within the value at `path`: empty if the whole value is secret. Returns null if
 * the value does not contain the secret.
 */
export function restOf(secret: SecretPath, path: SecretPath): SecretPath | null {
  const isApart = path.some((name, index) => {
    const wanted = secret[index]
    return wanted !== undefined && wanted !== '*' && name !== '*' && wanted !== name
  })
  return isApart ? null : secret.slice(path.length)
}

/**
 * Replaces the parts of a value at these paths. Null stays, because it says that there is no value yet. All names in
 * the value are data, so an object that looks like a reference is hidden too.
 */
export function hiddenAt<V extends Json>(value: V, paths: readonly SecretPath[]): V {
  return (paths.length === 0 ? value : without(value, paths, false)) as V
}

/** Does the same in a template. References stay, because they say where a value comes from. */
export function hiddenInTemplate<V extends Json>(template: V, paths: readonly SecretPath[]): V {
  return (paths.length === 0 ? template : without(template, paths, true)) as V
}

function without(value: Json, paths: readonly SecretPath[], isTemplate: boolean): Json {
  if (value === null || paths.length === 0 || (isTemplate && isReference(value))) return value
  if (paths.some((path) => path.length === 0) || isTicket(value)) return hiddenText
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) {
    return value.map((item: Json, index) => without(item, below(paths, String(index)), isTemplate))
  }
  const literal = isTemplate ? literalOf(value) : undefined
  const entries = Object.entries(literal ?? (value as Readonly<Record<string, Json>>))
  const shown = Object.fromEntries(
    entries.map(([name, part]) => [name, without(part, below(paths, name), isTemplate)]),
  )
  return literal === undefined ? shown : { $literal: shown }
}

function isReference(value: Json): boolean {
  return (
    typeof value === 'object' && value !== null && Array.isArray((value as Record<string, Json>)['$from'])
  )
}

/** Returns the object that a template wraps because its names look like those of a reference. */
function literalOf(value: object): Readonly<Record<string, Json>> | undefined {
  const { $literal, ...others } = value as Readonly<Record<string, Json>>
  const isWrapped = typeof $literal === 'object' && $literal !== null && Object.keys(others).length === 0
  return isWrapped ? ($literal as Readonly<Record<string, Json>>) : undefined
}

function below(paths: readonly SecretPath[], name: string): readonly SecretPath[] {
  return paths.filter(([first]) => first === '*' || first === name).map(([, ...rest]) => rest)
}

/**
 * Returns the secret texts and numbers at these paths that are long enough to be hidden in other texts. True, false and
 * null are words of many messages, and say little, so they are hidden only at their paths.
 */
export function secretTexts(value: Json, paths: readonly SecretPath[]): readonly string[] {
  return paths.length === 0 ? [] : textsIn(value, paths, false)
}

/** Does the same in a template, whose references have no values. */
export function secretTextsInTemplate(template: Json, paths: readonly SecretPath[]): readonly string[] {
  return paths.length === 0 ? [] : textsIn(template, paths, true)
}

function textsIn(value: Json, paths: readonly SecretPath[], isTemplate: boolean): readonly string[] {
  const isWhole = paths.some((path) => path.length === 0)
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value)
    return isWhole && text.length >= shortestText ? [text] : []
  }
  if (typeof value !== 'object' || value === null || paths.length === 0 || isTicket(value)) return []
  if (isTemplate && isReference(value)) return []
  const parts = (isTemplate ? literalOf(value) : undefined) ?? value
  return Object.entries(parts).flatMap(([name, part]: [string, Json]) =>
    textsIn(part, isWhole ? [[]] : below(paths, name), isTemplate),
  )
}

/** Replaces these texts in a text, also where they are part of a JSON text. */
export function conceal(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
  // A longer secret may contain a shorter one.
  return [...new Set(forms)]
    .sort((one, other) => other.length - one.length)
    .reduce((left, secret) => left.replaceAll(secret, () => hiddenText), text)
}

/** Replaces these texts in all texts and names within a value, and numbers that have such a text. */
export function concealIn<V extends Json>(value: V, secrets: readonly string[]): V {
  return (secrets.length === 0 ? value : concealed(value, secrets)) as V
}

function concealed(value: Json, secrets: readonly string[]): Json {
  if (typeof value === 'string') return conceal(value, secrets)
  if (typeof value === 'number') return secrets.includes(String(value)) ? hiddenText : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: Json) => concealed(item, secrets))
  const entries = Object.entries(value as Readonly<Record<string, Json>>)
  return Object.fromEntries(entries.map(([name, part]) => [conceal(name, secrets), concealed(part, secrets)]))
}

/** Checks whether a value contains the text that stands for a hidden secret. */
export function hasHidden(value: Json): boolean {
  return JSON.stringify(value).includes(hiddenText)
}

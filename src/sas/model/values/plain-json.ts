import { errorMessage } from '../../../platform/internal.js'
import { z } from 'zod'
import { referencePath } from './reference.js'
import type { Json } from './json.js'

/** The largest depth of nested objects and lists in a stored document, not counting the document itself. */
const maxStoredLevels = 128

/** The largest depth of an input, an output or an event. Templates and documents add levels to this depth. */
export const maxGivenLevels = 100

/** The part of a value that cannot be stored as JSON, and the reason. */
interface Flaw {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** The schema of JSON within our documents. A recursive schema would cost ten times as much. */
export const json = z.unknown().superRefine((value, context) => {
  const flaw = new Walk(maxStoredLevels, 'stored').flawOf(value)
  if (flaw === null) return
  context.addIssue({ code: 'custom', path: [...flaw.path], message: flaw.message })
}) as unknown as z.ZodType<Json>

/** Checks whether a value can be stored as JSON without a change, like the schema {@link json}. */
export function isStorable(value: unknown): boolean {
  return isStorableWithin(value, maxStoredLevels)
}

/** Decides like {@link Walk} for stored values. It is faster because it remembers no path: nearly no value has a flaw. */
function isStorableWithin(value: unknown, levels: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || levels === 0) return false
  if (Array.isArray(value)) {
    // This loop also visits holes, which JSON would turn into null.
    for (const item of value) if (!isStorableWithin(item, levels - 1)) return false
    return true
  }
  for (const name of Object.keys(value)) {
    if (!isStorableWithin((value as Readonly<Record<string, unknown>>)[name], levels - 1)) return false
  }
  return true
}

/** A user's value as JSON, or the reason why the value is refused. */
export type GivenJson =
  | { readonly kind: 'json'; readonly json: Json; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Converts a user's value to the JSON that is stored. JSON omits undefined properties and calls `toJSON`, for
 * example on a `Date`. Both changes are allowed. Any other value that JSON would silently change or drop is
 * refused.
 *
 * @param name the beginning of the path in the reason
 */
export function givenJson(value: unknown, name: string): GivenJson {
  try {
    const given = value ?? null
    const flaw = new Walk(maxGivenLevels, 'given').flawOf(given)
    if (flaw !== null) return { kind: 'refused', reason: `${pathText(name, flaw.path)} ${flaw.message}` }
    const text = JSON.stringify(given)
    return { kind: 'json', json: JSON.parse(text) as Json, text }
  } catch (error) {
    // The user's getters and `toJSON` may throw any value.
    const why = errorMessage(error)
    return { kind: 'refused', reason: `${name} is not JSON: ${why}` }
  }
}

/** Checks whether a resolved value is nested deeper than a user's value may be. */
export function isTooDeep(value: Json): boolean {
  return !isStorableWithin(value, maxGivenLevels)
}

class Walk {
  private readonly path: (string | number)[] = []

  constructor(
    private readonly maxLevels: number,
    private readonly origin: 'stored' | 'given',
  ) {}

  flawOf(value: unknown): Flaw | null {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return null
      case 'number':
        return Number.isFinite(value) ? null : this.flaw(`is ${value}, which JSON cannot represent`)
      case 'object':
        return value === null ? null : this.flawIn(value)
      case 'undefined':
        return this.flaw('is undefined, which JSON cannot represent')
      case 'bigint':
      case 'function':
      case 'symbol':
        return this.flaw(`is a ${typeof value}, which JSON cannot represent`)
    }
  }

  private flawIn(value: object): Flaw | null {
    if (this.path.length >= this.maxLevels) {
      const advice = this.origin === 'given' ? ': pass the address of the data, not the data' : ''
      return this.flaw(`is nested more than ${this.maxLevels} levels deep, or contains itself${advice}`)
    }
    if (this.origin === 'given') {
      const changed = changedByJson(value)
      if (changed !== null) return this.flaw(changed)
      if ('toJSON' in value && typeof value.toJSON === 'function') {
        const { toJSON } = value as { toJSON: (this: object, key: string) => unknown }
        const said = toJSON.call(value, String(this.path.at(-1) ?? ''))
        return typeof said === 'object' && said !== null ? this.flawInParts(said) : this.flawOf(said)
      }
    }
    return this.flawInParts(value)
  }

  private flawInParts(value: object): Flaw | null {
    if (Array.isArray(value)) return this.flawInList(value)
    for (const [key, part] of Object.entries(value)) {
      if (part === undefined && this.origin === 'given') continue
      const flaw = this.flawAt(key, part)
      if (flaw !== null) return flaw
    }
    return null
  }

  /** Visits a list by index to find its holes, which JSON would turn into null. */
  private flawInList(list: readonly unknown[]): Flaw | null {
    for (let index = 0; index < list.length; index += 1) {
      const flaw = this.flawAt(index, list[index])
      if (flaw !== null) return flaw
    }
    return null
  }

  private flawAt(key: string | number, part: unknown): Flaw | null {
    this.path.push(key)
    const flaw = this.flawOf(part)
    this.path.pop()
    return flaw
  }

  private flaw(message: string): Flaw {
    return { path: [...this.path], message }
  }
}

/** Returns the reason why JSON would lose or change the object. Returns null if there is none. */
function changedByJson(value: object): string | null {
  if (referencePath(value) !== null) return 'is a reference, which only a workflow definition may contain'
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'is an invalid Date' : null
  const prototype: unknown = Object.getPrototypeOf(value)
  // A plain object of any realm is recognised, because the prototype of its prototype is null.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  if (isPlain || Array.isArray(value) || 'toJSON' in value) return null
  const isLost =
    value instanceof Error ||
    ArrayBuffer.isView(value) ||
    (Object.keys(value).length === 0 && !isBoxed(value))
  return isLost ? `is an instance of ${value.constructor.name}, whose content JSON would lose` : null
}

/** Checks whether an object wraps a primitive value, like `Object('a')`. JSON stores only that value. */
function isBoxed(value: object): boolean {
  return value instanceof String || value instanceof Number || value instanceof Boolean
}

/** The largest number of shown parts of a path. The beginning is enough to find the value. */
const shownParts = 8

/** Returns a path as code would write it. A path with many parts is cut off. */
export function pathText(name: string, path: readonly (string | number)[]): string {
  const shown = path
    .slice(0, shownParts)
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`
      return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`
    })
    .join('')
  return `${name}${shown}${path.length > shownParts ? '…' : ''}`
}

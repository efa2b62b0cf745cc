import { z } from 'zod'
import { referencePath } from './reference.js'

/** JSON as it is stored. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Objects and lists within each other that the store takes in a document, the document itself not counted. */
const maxStoredLevels = 128

/** Levels that an input, an output or an event may have: templates and the document around it nest it deeper. */
export const maxGivenLevels = 100

/** Where a value is not what it must be, and why. */
interface Flaw {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** The schema of JSON within our documents. One walk: a schema that refers to itself costs ten times as much. */
export const json = z.unknown().superRefine((value, context) => {
  const flaw = new Walk(maxStoredLevels, 'stored').flawOf(value)
  if (flaw === null) return
  context.addIssue({ code: 'custom', path: [...flaw.path], message: flaw.message })
}) as unknown as z.ZodType<Json>

/** A value of the user's as JSON, or why JSON would change it or the store would not take it. */
export type GivenJson =
  | { readonly kind: 'json'; readonly json: Json; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * A value of the user's as it is stored. JSON leaves out properties that are undefined and takes `toJSON` where an
 * object has it, a `Date` for one; both are allowed. Whatever else JSON would change or drop without a word is refused.
 *
 * @param name what the path in the reason begins with
 */
export function givenJson(value: unknown, name: string): GivenJson {
  try {
    const given = value ?? null
    const flaw = new Walk(maxGivenLevels, 'given').flawOf(given)
    if (flaw !== null) return { kind: 'refused', reason: `${pathText(name, flaw.path)} ${flaw.message}` }
    const text = JSON.stringify(given)
    return { kind: 'json', json: JSON.parse(text) as Json, text }
  } catch (error) {
    // A getter or a toJSON of the user's may throw whatever it likes.
    const why = error instanceof Error ? error.message : String(error)
    return { kind: 'refused', reason: `${name} is not JSON: ${why}` }
  }
}

/** Whether a value of ours is nested deeper than one of the user's may be. */
export function isTooDeep(value: Json): boolean {
  return new Walk(maxGivenLevels, 'stored').flawOf(value) !== null
}

/** One look at a value and all its parts. */
class Walk {
  private readonly path: (string | number)[] = []

  constructor(
    private readonly maxLevels: number,
    private readonly origin: 'stored' | 'given',
  ) {}

  /** The first flaw, or null. */
  flawOf(value: unknown): Flaw | null {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return null
      case 'number':
        return Number.isFinite(value) ? null : this.flaw(`is ${value}, which JSON does not know`)
      case 'object':
        return value === null ? null : this.flawIn(value)
      case 'undefined':
        return this.flaw('is undefined, which JSON does not know')
      case 'bigint':
      case 'function':
      case 'symbol':
        return this.flaw(`is a ${typeof value}, which JSON does not know`)
    }
  }

  private flawIn(value: object): Flaw | null {
    if (this.path.length >= this.maxLevels) {
      const advice = this.origin === 'given' ? ': pass where the data is, not the data' : ''
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

  /** By index: a hole in a list is undefined, and JSON makes it null. */
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

/** Why JSON keeps nothing, or something else, of an object; null where it keeps it. */
function changedByJson(value: object): string | null {
  if (referencePath(value) !== null) return 'is a reference, which only a workflow definition knows'
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'is an invalid Date' : null
  const prototype: unknown = Object.getPrototypeOf(value)
  // Of whatever realm: above what every object inherits there is nothing.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  if (isPlain || Array.isArray(value) || 'toJSON' in value) return null
  const isLost =
    value instanceof Error ||
    ArrayBuffer.isView(value) ||
    (Object.keys(value).length === 0 && !isBoxed(value))
  return isLost
    ? `is an instance of ${value.constructor.name}, of which JSON does not keep what it holds`
    : null
}

/** `Object('a')` and its kin, which JSON takes for what they hold. */
function isBoxed(value: object): boolean {
  return value instanceof String || value instanceof Number || value instanceof Boolean
}

/** Parts of a path that are shown: of a deep one the beginning says where to look. */
const shownParts = 8

function pathText(name: string, path: readonly (string | number)[]): string {
  const shown = path
    .slice(0, shownParts)
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`
      return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`
    })
    .join('')
  return `${name}${shown}${path.length > shownParts ? '…' : ''}`
}

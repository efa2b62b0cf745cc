import type { Json } from './json.js'

declare const produces: unique symbol

/**
 * A value that is known only when the job runs, such as `job.input.total` or `step.output.reservationId`. A
 * property of a reference is a reference to that property of the value. The type describes the value. If the
 * value is missing when the job runs, a property whose value is this reference is omitted, and a list item
 * that is this reference becomes null. Converting a reference to text or a number, spreading it or listing
 * its keys throws a TypeError.
 */
export type Reference<T> = { readonly [produces]: T } & (T extends readonly (infer E)[]
  ? Readonly<Record<number, Reference<E>>> & { readonly length: Reference<number> }
  : T extends object
    ? { readonly [K in keyof Required<T>]: Reference<T[K]> }
    : unknown)

/** A value of type `T` in which any part may be a {@link Reference} instead. */
export type ValueOrReference<T> =
  | Reference<T>
  | (T extends readonly (infer E)[]
      ? readonly ValueOrReference<E>[]
      : T extends object
        ? { readonly [K in keyof T]: ValueOrReference<T[K]> }
        : T)

/** The path of a reference, which leads into the job's input or into a step's output. */
export type ReferencePath =
  readonly ['input', ...string[]] | readonly ['steps', string, 'output', ...string[]]

const pathOf = Symbol('stepward.referencePath')

/** Creates a reference. The caller must ensure that the type parameter suits the path. */
export function reference<T>(path: ReferencePath): Reference<T> {
  const handler: ProxyHandler<object> = {
    get: (_target, property) => {
      if (property === pathOf) return path
      if (property === Symbol.toPrimitive) return () => misused(path, 'converted to text or a number')
      if (typeof property === 'symbol') return undefined
      return reference([...path, property] as unknown as ReferencePath)
    },
    has: (_target, property) => property === pathOf,
    // Without this trap, a spread, a list of keys or a conversion to JSON would give an empty object.
    ownKeys: () => misused(path, 'spread, or asked for its keys'),
  }
  return new Proxy({}, handler) as Reference<T>
}

/** @throws TypeError always, because the value is not known while a workflow is defined */
function misused([root, ...rest]: ReferencePath, how: string): never {
  const [step, , ...field] = rest
  const named =
    root === 'input' ? ['job.input', ...rest] : [`the output of step ${JSON.stringify(step)}`, ...field]
  const advice = 'pass it on whole or name its fields one by one, and work with its value in an agent'
  throw new TypeError(
    `${named.join('.')} cannot be ${how} here: its value is known only when the job runs; ${advice}`,
  )
}

/** Returns the path of a reference, or null for any other value. */
export function referencePath(value: object): ReferencePath | null {
  return pathOf in value ? (value as { readonly [pathOf]: ReferencePath })[pathOf] : null
}

/** The error for a value that cannot be part of a plan. */
export class NotPlainDataError extends Error {
  constructor(
    readonly where: string,
    readonly found: string,
  ) {
    super(`${where} is ${found}; a plan holds only JSON values and references`)
  }
}

/**
 * Converts a value of a definition to plain JSON. References become `{ "$from": [...] }`. A user's object
 * with the key `$from` or `$literal` is wrapped in `{ "$literal": ... }`. Undefined properties are omitted,
 * as in JSON.
 *
 * @throws NotPlainDataError for functions, symbols, class instances such as dates, and numbers that JSON
 *   cannot represent
 */
export function toTemplate(value: unknown, where: string): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new NotPlainDataError(where, String(value))
    return value
  }
  if (typeof value !== 'object') throw new NotPlainDataError(where, `a ${typeof value}`)
  const path = referencePath(value)
  if (path !== null) return { $from: [...path] }
  if (Array.isArray(value)) return value.map((item, index) => toTemplate(item, `${where}[${index}]`))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    throw new NotPlainDataError(where, `an instance of ${value.constructor.name}`)
  }
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]): [string, Json] => [key, toTemplate(item, `${where}.${key}`)])
  const template = Object.fromEntries(entries)
  return '$from' in template || '$literal' in template ? { $literal: template } : template
}

import { adviceOnMethod } from './known-methods.js'

declare const produces: unique symbol

/**
 * A value that is known only when the job runs, such as `job.input.total` or `step.output.reservationId`. A
 * property of a reference is a reference to that property of the value. The type describes the value. If the
 * value is missing when the job runs, a property whose value is this reference is omitted, and a list item
 * that is this reference becomes null. For the compiler, a list has its first ten items, so `list[0].name`
 * needs no check for undefined.
 *
 * A reference has no value while a workflow is defined. So a use as a value throws a TypeError that shows the
 * right form: as text or a number, in a spread or a loop, with `in`, in a call of a method, or in an
 * assignment. No code can notice `if (reference)`, `===`, `??`, `&&` and `||`, which treat a reference as a
 * true value: write a condition instead, and let ESLint find these places (docs/workflows.md).
 */
export type Reference<T> = { readonly [produces]: T } & (T extends readonly (infer E)[]
  ? Readonly<Record<number, Reference<E>>> &
      Readonly<Record<0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9, Reference<E>>> & {
        readonly length: Reference<number>
      }
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

/** The type that a value has when the job runs and all its references are replaced. */
export type ValueOf<B> = unknown extends B
  ? B
  : B extends { readonly [produces]: infer T }
    ? T
    : B extends object
      ? { readonly [K in keyof B]: ValueOf<B[K]> }
      : B

/**
 * The path of a reference, which leads into the job's input, into a step's output, or to the outcome of a
 * step. `outcomeSoFar` is the outcome at the moment of the question, for which no step waits.
 */
export type ReferencePath =
  | readonly ['input', ...string[]]
  | readonly ['steps', string, 'output' | 'outcome' | 'outcomeSoFar', ...string[]]

const pathOf = Symbol('stepward.referencePath')

/** Creates a reference. The caller must ensure that the type parameter suits the path. */
export function reference<T>(path: ReferencePath): Reference<T> {
  const method = adviceOnMethod(path.at(-1) ?? '')
  const isField = path.length > (path[0] === 'input' ? 1 : 3)
  // Only a function can be called, and a call that cannot be caught would not say what to write.
  const target: object = isField && method !== null ? () => undefined : {}
  const handler: ProxyHandler<object> = {
    get: (_target, property) => {
      if (property === pathOf) return path
      if (property === Symbol.toPrimitive) {
        return (hint: string) =>
          misused(path, 'converted to text or a number', hint === 'string' ? asText : asNumber)
      }
      if (property === Symbol.iterator) return () => misused(path, 'iterated', asList)
      if (typeof property === 'symbol') return undefined
      if (property === 'toJSON' && typeof target === 'function')
        return () => misused(path, 'spread, listed or turned into JSON', wholeOrParts)
      return reference([...path, property] as unknown as ReferencePath)
    },
    has: (_target, property) =>
      typeof property === 'symbol'
        ? property === pathOf
        : misused(path, 'asked with "in"', 'use condition.present(…) in the option "when" of a step'),
    // Without these traps, a spread, a list of keys or a conversion to JSON would give an empty object, and a
    // change would be lost.
    ownKeys: () => misused(path, 'spread, listed or turned into JSON', wholeOrParts),
    apply: () => misused(path, 'called', method ?? inAgent),
    set: () => misused(path, 'changed', inAgent),
    defineProperty: () => misused(path, 'changed', inAgent),
    deleteProperty: () => misused(path, 'changed', inAgent),
  }
  return new Proxy(target, handler) as Reference<T>
}

const wholeOrParts = 'pass it on whole or name its fields one by one, and work with its value in an agent'
const inAgent = 'work with its value in an agent'
const asText = 'write text`…${reference}…` for a text that contains it, or work with its value in an agent'
const asNumber = `compare it in a condition, as in { when: condition.greater(reference, 3) }, or ${inAgent}`
const asList = 'name its members, as in list[0], or add a step for each of them with job.forEach'

/** @throws TypeError always, because the value is not known while a workflow is defined */
function misused(path: ReferencePath, how: string, advice: string): never {
  throw new TypeError(
    `${referenceName(path)} cannot be ${how} here: its value is known only when the job runs; ${advice}`,
  )
}

/** Returns the words for a reference in messages. */
function referenceName([root, ...rest]: readonly string[]): string {
  const [step, part = 'output', ...field] = rest
  if (root === 'input') return ['job.input', ...rest].join('.')
  return [`the ${part} of step ${JSON.stringify(step)}`, ...field].join('.')
}

/** Returns the path of a reference, or null for any other value. */
export function referencePath(value: unknown): ReferencePath | null {
  return isReference(value) ? (value as { readonly [pathOf]: ReferencePath })[pathOf] : null
}

/** Checks whether a value is a reference. A reference with the name of a method has the type of a function. */
export function isReference(value: unknown): value is object {
  return ((typeof value === 'object' && value !== null) || typeof value === 'function') && pathOf in value
}

import type { z } from 'zod'
import { isStorable, json } from '../values/plain-json.js'

/** Returns true only if the schema accepts the value and leaves it unchanged. */
export type QuickCheck = (value: unknown) => boolean

/**
 * Returns a check that is several times as fast as parsing, because it copies nothing and explains nothing. If
 * it returns false, parse the value: the schema may fill in a default, drop a field or refuse the value.
 *
 * @throws TypeError if the schema has a part that this function does not know
 */
export function quickCheck(schema: z.ZodType): QuickCheck {
  if (schema === json) return isStorable
  const definition = (schema as unknown as { readonly _zod: { readonly def: Definition } })._zod.def
  const { type, checks = [] } = definition
  const checkOf = checksByType[type]
  if (checkOf === undefined || (type !== 'number' && checks.length > 0)) throw unknown(type)
  return checkOf(definition)
}

/** The parts of a schema's definition that this file reads. Only some types have the fields after `checks`. */
interface Definition {
  readonly type: string
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly format?: string } } }[]
  readonly entries: Readonly<Record<string, unknown>>
  readonly values: readonly unknown[]
  readonly innerType: z.ZodType
  readonly options: readonly z.ZodType[]
  readonly element: z.ZodType
  readonly valueType: z.ZodType
  readonly shape: Readonly<Record<string, z.ZodType>>
  readonly catchall?: z.ZodType
}

const checksByType: Readonly<Record<string, (definition: Definition) => QuickCheck>> = {
  string: () => (value) => typeof value === 'string',
  boolean: () => (value) => typeof value === 'boolean',
  number: ({ checks = [] }) => numberCheck(checks),
  enum: ({ entries }) => oneOf(Object.values(entries)),
  literal: ({ values }) => oneOf(values),
  nullable: ({ innerType }) => either((value) => value === null, quickCheck(innerType)),
  optional: ({ innerType }) => either((value) => value === undefined, quickCheck(innerType)),
  default: ({ innerType }) => quickCheck(innerType),
  union: ({ options }) => options.map(quickCheck).reduce(either),
  array: ({ element }) => arrayCheck(quickCheck(element)),
  record: ({ valueType }) => recordCheck(quickCheck(valueType)),
  object: ({ shape, catchall }) => objectCheck(shape, catchall !== undefined),
}

function unknown(type: string): TypeError {
  return new TypeError(`a schema of type ${JSON.stringify(type)} with these checks has no quick check`)
}

function either(one: QuickCheck, other: QuickCheck): QuickCheck {
  return (value) => one(value) || other(value)
}

function oneOf(values: readonly unknown[]): QuickCheck {
  const accepted = new Set(values)
  return (value) => accepted.has(value)
}

function numberCheck(checks: NonNullable<Definition['checks']>): QuickCheck {
  if (checks.length === 0) return (value) => Number.isFinite(value)
  const isWhole = checks.every(({ _zod: { def } }) => def.format === 'safeint')
  if (!isWhole) throw unknown('number')
  return (value) => Number.isSafeInteger(value)
}

function arrayCheck(isElement: QuickCheck): QuickCheck {
  return (value) => {
    if (!Array.isArray(value)) return false
    for (const element of value) if (!isElement(element)) return false
    return true
  }
}

function recordCheck(isValue: QuickCheck): QuickCheck {
  return (value) => {
    if (!isPlain(value)) return false
    for (const name of Object.keys(value)) if (name === '__proto__' || !isValue(value[name])) return false
    return true
  }
}

/** @param isLoose whether unknown fields are kept. Otherwise parsing drops them, so they fail this check. */
function objectCheck(shape: Definition['shape'], isLoose: boolean): QuickCheck {
  const fields = new Map(
    Object.entries(shape).map(([name, schema]) => {
      const isField = quickCheck(schema)
      return [name, { isField, isRequired: !isField(undefined) }]
    }),
  )
  const required = [...fields.values()].filter(({ isRequired }) => isRequired).length
  return (value) => {
    if (!isPlain(value)) return false
    let found = 0
    // `for in` makes no list of the names. Most optional fields are missing, so they are not looked at.
    for (const name in value) {
      const field = fields.get(name)
      if (field === undefined) {
        if (!isLoose || name === '__proto__') return false
        continue
      }
      if (!field.isField(value[name])) return false
      if (field.isRequired) found += 1
    }
    return found === required
  }
}

export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/** Returns the quick checks of the fields of an object. */
export function quickChecks<S extends Readonly<Record<string, z.ZodType>>>(
  shape: S,
): { readonly [Name in keyof S]: QuickCheck } {
  const checks = Object.entries(shape).map(([name, schema]) => [name, quickCheck(schema)] as const)
  return Object.fromEntries(checks) as { [Name in keyof S]: QuickCheck }
}

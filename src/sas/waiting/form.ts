import { z } from 'zod'
import type { Json } from '../model/values/json.js'
import { givenJson } from '../model/values/plain-json.js'

/** A JSON Schema. Schemas that do not say their type, and the keywords `if`, `not` and `dependent…` are refused. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A schema of zod 4 for values of type `T`. */
export interface ZodSchema<T> {
  readonly _zod: { readonly output: T }
}

/** The form of a question that is answered with yes or no. */
const yesNo = { type: 'boolean' }

export type FormRead =
  { readonly kind: 'form'; readonly form: Json } | { readonly kind: 'problem'; readonly what: string }

/** Returns the JSON Schema of a form, or the reason why it cannot be used. Default: yes or no. */
export function readForm(given: unknown = yesNo): FormRead {
  try {
    const schema = isZod(given) ? fromZod(given) : given
    const plain = givenJson(schema, 'form')
    if (plain.kind !== 'json') return problem(plain.reason)
    const untyped = withoutType(plain.json, 'form')
    if (untyped !== null) return problem(`${untyped} does not say its "type"`)
    validatorOf(plain.json)
    return { kind: 'form', form: plain.json }
  } catch (error) {
    return problem(error instanceof Error ? error.message : String(error))
  }
}

export type Filled =
  { readonly kind: 'data'; readonly data: Json } | { readonly kind: 'problem'; readonly what: string }

/** Checks an answer by the form of its question. Defaults of the form are filled in. */
export function fillIn(form: Json, data: Json): Filled {
  const read = validatorOf(form).safeParse(data)
  if (read.success) return { kind: 'data', data: read.data as Json }
  const issues = read.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  )
  return problem(issues.join('; '))
}

/**
 * Returns the answer yes or no as an object, if the form has exactly one property that is true or false.
 * Otherwise returns null.
 */
export function yesOrNo(form: Json, isYes: boolean): Json {
  const { properties = {} } = form as { readonly properties?: Readonly<Record<string, Json>> }
  const flags = Object.entries(properties).filter(
    ([, part]) => (part as { readonly type?: Json }).type === 'boolean',
  )
  const [flag, ...others] = flags
  return flag === undefined || others.length > 0 ? null : { [flag[0]]: isYes }
}

function validatorOf(form: Json): z.ZodType {
  return z.fromJSONSchema(form as Parameters<typeof z.fromJSONSchema>[0])
}

function isZod(given: unknown): given is z.ZodType {
  return typeof given === 'object' && given !== null && '_zod' in given
}

/** @throws Error if a part of the schema is code, because a plan holds no code */
function fromZod(schema: z.ZodType): unknown {
  const { $schema: _version, ...form } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema, path }) => {
      const { type, checks = [] } = zodSchema._zod.def
      const isCode = checks.some(({ _zod }) => _zod.def.check === 'custom')
      if (!isCode && type !== 'transform' && type !== 'pipe') return
      const where = ['form', ...path].join('.')
      throw new Error(`${where} has a refinement or a transformation, and a plan holds no code`)
    },
  })
  return form
}

const typed = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref']

/** Returns the path of a schema that does not say its type, so that it would accept anything. */
function withoutType(schema: Json, path: string): string | null {
  if (typeof schema === 'boolean') return null
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return path
  const parts = schema as Readonly<Record<string, Json>>
  if (!typed.some((keyword) => keyword in parts)) return path
  const named = ['properties', '$defs'].flatMap((keyword) =>
    Object.entries((parts[keyword] ?? {}) as Readonly<Record<string, Json>>).map(
      ([name, part]) => [part, `${path}.${name}`] as const,
    ),
  )
  const listed = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items', 'additionalProperties'].flatMap(
    (keyword) => {
      const given = parts[keyword]
      if (given === undefined) return []
      return (Array.isArray(given) ? given : [given]).map(
        (part: Json) => [part, `${path}.${keyword}`] as const,
      )
    },
  )
  for (const [part, where] of [...named, ...listed]) {
    const found = withoutType(part, where)
    if (found !== null) return found
  }
  return null
}

function problem(what: string): { readonly kind: 'problem'; readonly what: string } {
  return { kind: 'problem', what }
}

import { z } from 'zod'
import { errorMessage } from '../../platform/internal.js'
import { hiddenAt, type SecretPath } from '../model/values/hidden.js'
import type { Json } from '../model/values/json.js'
import { secretsInSchema } from '../plan/schema-secrets.js'

/** A JSON Schema, or a schema of zod 4, that describes the input of a workflow. */
export type InputSchema = z.core.$ZodType | Readonly<Record<string, unknown>>

/** A check of an input. Returns one text for each problem, with its path, value and rule. */
export type InputCheck = (input: Json) => readonly string[]

export type ReadInputSchema =
  /** `stored` is the JSON Schema by which a supervisor checks the jobs of schedules. */
  { readonly check: InputCheck; readonly stored: Json } | { readonly problem: string }

/** Reads the `input` option of a workflow. */
export function readInputSchema(schema: unknown): ReadInputSchema {
  try {
    if (isZod(schema)) {
      const stored = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json
      return { check: checkOf(schema, secretsInSchema(stored)), stored }
    }
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema) || 'safeParse' in schema) {
      return { problem: `input must be a schema of zod 4 or a JSON Schema` }
    }
    const stored = JSON.parse(JSON.stringify(schema)) as Json
    return { check: storedInputCheck(stored), stored }
  } catch (error) {
    return { problem: `input is no schema that can be checked: ${errorMessage(error)}` }
  }
}

/** @throws Error if the schema cannot be checked */
export function storedInputCheck(schema: Json): InputCheck {
  return checkOf(z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]), secretsInSchema(schema))
}

function isZod(schema: unknown): schema is z.core.$ZodType {
  return typeof schema === 'object' && schema !== null && '_zod' in schema
}

/** Checks inputs. A problem does not show a secret value, because people read it. */
function checkOf(schema: z.core.$ZodType, secrets: readonly SecretPath[]): InputCheck {
  return (given) => {
    const input = hiddenAt(given, secrets)
    const { error } = z.safeParse(schema, given)
    return (error?.issues ?? []).map(({ path, message }) => {
      const value = path.reduce<unknown>(partOf, input)
      const rule = `${message.slice(0, 1).toLowerCase()}${message.slice(1)}`
      return `${pathText(path)} is ${shown(value)}: ${rule}`
    })
  }
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`),
    'input',
  )
}

function partOf(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Readonly<Record<PropertyKey, unknown>>)[key]
}

const maxShown = 100

function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  const text = JSON.stringify(value)
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`
}

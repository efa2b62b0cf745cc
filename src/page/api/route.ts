import { z } from 'zod'
import type { PageRole } from '../door/people.js'
import type { PageStore } from './page-store.js'

/** A request that the page's server answers with JSON. */
export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly summary: string
  /** The roles besides Admin that may use the route. Default: every role to read, and Operator to act. */
  readonly roles?: readonly PageRole[]
  /** The parameters: the query of a GET, the body of a POST. */
  readonly asked: z.ZodObject
  /** The answer, if the request succeeds. */
  readonly answer: z.ZodType
  /** Returns the answer. The server turns each error into a status. */
  readonly handle: (store: PageStore, asked: never) => Promise<unknown>
}

interface Parts<A extends z.ZodObject> extends Omit<Route, 'handle' | 'asked'> {
  readonly asked: A
  readonly handle: (store: PageStore, asked: z.infer<A>) => Promise<unknown>
}

/** Returns a route whose handler receives the parameters in their declared types. */
export function route<A extends z.ZodObject>(parts: Parts<A>): Route {
  return parts
}

/** Ends a request whose parameters are wrong. Nothing was done. */
export class RequestInvalid extends Error {
  override readonly name = 'RequestInvalid'
}

/** Checks the parameters, and calls the handler. */
export async function answered({ asked, handle }: Route, store: PageStore, given: unknown): Promise<unknown> {
  const read = asked.safeParse(given)
  if (read.success)
    return (handle as (store: PageStore, asked: unknown) => Promise<unknown>)(store, read.data)
  const problems = read.error.issues.map((issue) => problemOf(asked, issue, given))
  throw new RequestInvalid([...new Set(problems)].join('; '))
}

/** Returns a sentence that names the parameter, its value and the rule. A rule begins with "must" or "is". */
function problemOf(asked: z.ZodObject, issue: z.core.$ZodIssue, given: unknown): string {
  const { path, message } = issue
  const name = path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys.map((key) => JSON.stringify(key)).join(', ')
    const place = name === '' ? '' : ` in ${name}`
    return `unknown field ${unknown}${place}: the fields are ${fieldsAt(asked, path).join(', ')}`
  }
  const value = path.reduce<unknown>(partOf, given)
  if (message.startsWith('must ')) return `${name} ${JSON.stringify(value)} ${message}`
  if (message.startsWith('is ')) return `${name} ${message}`
  if (value === undefined && name !== '') return `${name} is missing`
  return name === '' ? message : `${name}: ${message}`
}

function partOf(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Readonly<Record<PropertyKey, unknown>>)[key]
}

/** Returns the names of the fields that the part at a path may have. */
function fieldsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return fieldsAt(schema.unwrap(), path)
  if (schema instanceof z.ZodArray) return fieldsAt(schema.element, path.slice(1))
  if (!(schema instanceof z.ZodObject)) return []
  const shape = schema.shape as Readonly<Record<PropertyKey, z.core.$ZodType>>
  const [first] = path
  const part = first === undefined ? undefined : shape[first]
  return part === undefined ? Object.keys(shape) : fieldsAt(part, path.slice(1))
}

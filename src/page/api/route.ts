import type { z } from 'zod'
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
  const problems = read.error.issues.map(({ path, message }) => [...path.map(String), message].join(': '))
  throw new RequestInvalid(problems.join('; '))
}

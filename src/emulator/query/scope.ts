import type { Call, ParameterReference, SourceReference } from './language/ast.js'
import { QueryError } from './language/query-error.js'
import type { QueryTime } from './functions/query-function.js'

/** A compiled expression: returns its value for one input, which may be undefined. */
export type Evaluate = (input: unknown) => unknown

/** The meaning of names at one place of a query. */
export interface Scope {
  readonly parameters: ReadonlyMap<string, unknown>
  readonly time: QueryTime
  /** Returns the value of the source's alias. Throws when the alias is unknown here. */
  readonly source: (reference: SourceReference) => Evaluate
  /** Returns the value of COUNT, SUM and so on. Throws where no aggregate is allowed. */
  readonly aggregate: (call: Call) => Evaluate
}

export function parameterValue({ name, span }: ParameterReference, scope: Scope): unknown {
  if (!scope.parameters.has(name)) {
    throw new QueryError('SC2001', `Identifier '${name}' could not be resolved.`, span)
  }
  return scope.parameters.get(name)
}

/** Returns the scope in which each input is a document: everywhere except in an aggregated SELECT. */
export function documentScope(
  alias: string | undefined,
  parameters: ReadonlyMap<string, unknown>,
  time: QueryTime,
): Scope {
  return {
    parameters,
    time,
    source: ({ name, span }) => {
      if (name !== alias) throw new QueryError('SC2001', `Identifier '${name}' could not be resolved.`, span)
      return (document) => document
    },
    aggregate: ({ name, span }) => {
      throw new QueryError(
        'BadRequest',
        `The aggregate ${name.toUpperCase()} may only stand in SELECT, and not within another aggregate.`,
        span,
      )
    },
  }
}

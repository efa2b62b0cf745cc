import type { Call, ParameterReference, SourceReference } from './language/ast.js'
import { QueryError } from './language/query-error.js'

/** An expression made ready: its value for one input, `undefined` included. */
export type Evaluate = (input: unknown) => unknown

/** What names mean at one place of a query. */
export interface Scope {
  readonly parameters: ReadonlyMap<string, unknown>
  /** What the source's alias stands for; throws when it stands for nothing here. */
  readonly source: (reference: SourceReference) => Evaluate
  /** What COUNT, SUM, … stand for; throws where none may stand. */
  readonly aggregate: (call: Call) => Evaluate
}

/** The value given for a parameter; throws when none was given. */
export function parameterValue({ name, span }: ParameterReference, scope: Scope): unknown {
  if (!scope.parameters.has(name)) {
    throw new QueryError('SC2001', `Identifier '${name}' could not be resolved.`, span)
  }
  return scope.parameters.get(name)
}

/** Where each input is a document: everywhere but in an aggregated SELECT. */
export function documentScope(alias: string | undefined, parameters: ReadonlyMap<string, unknown>): Scope {
  return {
    parameters,
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

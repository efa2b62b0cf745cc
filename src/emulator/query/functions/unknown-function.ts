import type { Call } from '../language/ast.js'
import { QueryError } from '../language/query-error.js'

/** Functions that rank documents, by upper-case name. */
const ranking = new Set(['FULLTEXTSCORE', 'RRF'])

/** Returns the error for a name that no function has, or for a function that only ORDER BY RANK may call. */
export function unknownFunction({ name, span }: Call): QueryError {
  const upperName = name.toUpperCase()
  return ranking.has(upperName)
    ? new QueryError('BadRequest', `The ${upperName} function is allowed only in ORDER BY RANK.`, span)
    : new QueryError('SC2005', `'${name}' is not a recognized built-in function name.`, span)
}

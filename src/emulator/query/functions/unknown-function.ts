import type { Call } from '../language/ast.js'
import { notSupported, QueryError } from '../language/query-error.js'

/**
 * Functions that the service has and this engine lacks, by upper-case name. FULLTEXTSCORE and RRF work only
 * in ORDER BY RANK.
 */
const known = new Set(
  `STDEV VARIANCE HOUR MINUTE SECOND REGEXREPLACE CONTAINSALLCI CONTAINSALLCS CONTAINSANYCI CONTAINSANYCS
  FULLTEXTSCORE RRF`.split(/\s+/u),
)

/** Returns the error for an unknown function: it does not exist, or only the service has it. */
export function unknownFunction({ name, span }: Call): QueryError {
  return known.has(name.toUpperCase())
    ? notSupported(`The function ${name.toUpperCase()}`, span)
    : new QueryError('SC2005', `'${name}' is not a recognized built-in function name.`, span)
}

import type { Call } from '../language/ast.js'
import { notSupported, QueryError } from '../language/query-error.js'

/** Functions that the service has and this room lacks, by upper-case name. */
const known = new Set(
  `ACOS ASIN ATAN ATN2 COS COT DEGREES EXP LOG LOG10 PI POWER RADIANS RAND SIGN SIN SQRT SQUARE TAN TRUNC NUMBERBIN
  INTADD INTBITAND INTBITLEFTSHIFT INTBITNOT INTBITOR INTBITRIGHTSHIFT INTBITXOR INTDIV INTMOD INTMUL INTSUB
  ARRAY_AVG ARRAY_CONCAT ARRAY_CONTAINS_ALL ARRAY_CONTAINS_ANY ARRAY_MAX ARRAY_MEDIAN ARRAY_MIN ARRAY_SLICE ARRAY_SUM
  CHOOSE IIF OBJECTTOARRAY SETDIFFERENCE SETEQUAL SETINTERSECT SETSUBSET SETUNION STDEV VARIANCE
  HOUR MINUTE SECOND
  LASTINDEXOF LASTSUBSTRINGAFTER LASTSUBSTRINGBEFORE LEFT LTRIM REGEXEXTRACT REGEXEXTRACTALL REGEXMATCH REPLICATE REVERSE
  RIGHT RTRIM STRINGJOIN STRINGSPLIT STRINGTOARRAY STRINGTOBOOLEAN STRINGTONULL STRINGTONUMBER STRINGTOOBJECT
  SUBSTRINGAFTER SUBSTRINGBEFORE IS_FINITE_NUMBER IS_INTEGER
  FULLTEXTSCORE RRF`.split(/\s+/u),
)

/** Returns the error for an unknown function: it does not exist, or only the service has it. */
export function unknownFunction({ name, span }: Call): QueryError {
  return known.has(name.toUpperCase())
    ? notSupported(`The function ${name.toUpperCase()}`, span)
    : new QueryError('SC2005', `'${name}' is not a recognized built-in function name.`, span)
}

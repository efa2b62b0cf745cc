import { unwrapped, type Call, type Expression, type OrderItem, type Query } from '../language/ast.js'
import { QueryError } from '../language/query-error.js'

/** A scoring expression by which a query orders its rows. */
export interface Ranking {
  readonly expression: Expression
  /** True if the lowest score comes first. */
  readonly isReversed: boolean
}

/** Functions that ORDER BY accepts without RANK. The names with an underscore occur in query plans. */
const scores = new Set(['VECTORDISTANCE', '_VECTORSCORE', '_FULLTEXTSCORE'])

/** Returns the ranking of a query with ORDER BY RANK or ORDER BY VectorDistance. */
export function rankingOf({ rank, orderBy }: Query): Ranking | undefined {
  if (rank !== undefined) return { expression: rank, isReversed: false }
  const [only, ...others] = orderBy
  return only === undefined || others.length > 0 ? undefined : orderedRanking(only)
}

function orderedRanking({ expression, direction }: OrderItem): Ranking | undefined {
  const name = scoreName(expression)
  if (name === undefined || !scores.has(name)) return undefined
  if (name !== 'VECTORDISTANCE') return { expression, isReversed: direction === 'ASC' }
  if (direction !== 'DESC') return { expression, isReversed: false }
  const reason = 'ORDER BY VectorDistance puts the most similar vectors first; omit DESC.'
  throw new QueryError('BadRequest', reason, expression.span)
}

/** Returns the upper-case name of the function that an expression calls. */
export function scoreName(expression: Expression): string | undefined {
  const call = unwrapped(expression)
  return call.kind === 'call' ? call.name.toUpperCase() : undefined
}

/** The parts of a call of RRF. */
export interface Fusion {
  readonly functions: readonly Expression[]
  /** An array with a weight for each function, or undefined if all weigh the same. */
  readonly weights: Expression | undefined
}

/** Splits the arguments of RRF. The last one may be an array of weights instead of a call. */
export function fusionOf({ arguments: given }: Call): Fusion {
  const last = given.at(-1)
  if (last === undefined || unwrapped(last).kind === 'call') return { functions: given, weights: undefined }
  return { functions: given.slice(0, -1), weights: last }
}

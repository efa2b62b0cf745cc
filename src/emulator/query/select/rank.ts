import { FullTextScore } from '../functions/full-text/full-text-score.js'
import { reciprocalRankFusion } from '../functions/full-text/reciprocal-rank-fusion.js'
import { searchTerm } from '../functions/full-text/search-term.js'
import { unwrapped, type Call, type Expression, type Query } from '../language/ast.js'
import { QueryError } from '../language/query-error.js'
import { refuseWrongCount } from '../values/query-function.js'
import { isObject } from '../values/values.js'
import { compileExpression } from './compile-expression.js'
import type { Evaluate, Frame, Scope } from './scope.js'

/**
 * Returns a score for each frame. Frames with higher scores come first, and frames without a score come last.
 */
type Score = (frames: readonly Frame[]) => readonly (number | undefined)[]

/** Returns the scoring expression of a query with ORDER BY RANK or ORDER BY VectorDistance. */
export function rankedBy({ rank, orderBy }: Query): Expression | undefined {
  const [only, ...others] = orderBy
  if (rank !== undefined || only === undefined || others.length > 0) return rank
  const inner = unwrapped(only.expression)
  if (inner.kind !== 'call' || inner.name.toUpperCase() !== 'VECTORDISTANCE') return undefined
  if (!only.isDescending) return inner
  const reason = 'ORDER BY VectorDistance puts the most similar vectors first; omit DESC.'
  throw new QueryError('BadRequest', reason, only.expression.span)
}

/** Compiles a ranking, which needs all frames. Frames with equal scores keep their order. */
export function compileRank(expression: Expression, scope: Scope): (frames: Iterable<Frame>) => Frame[] {
  const scoreOf = compileScore(expression, scope)
  return (frames) => {
    const all = [...frames]
    const scores = scoreOf(all)
    return all
      .map((frame, index) => ({ frame, score: scores[index] ?? -Infinity }))
      .sort((left, right) => (left.score === right.score ? 0 : right.score - left.score))
      .map(({ frame }) => frame)
  }
}

function compileScore(expression: Expression, scope: Scope): Score {
  const call = unwrapped(expression)
  if (call.kind === 'call') {
    switch (call.name.toUpperCase()) {
      case 'FULLTEXTSCORE':
        return compileFullTextScore(call, scope)
      case 'VECTORDISTANCE':
        return compileSimilarity(call, scope)
      case 'RRF':
        return compileFusion(call, scope)
    }
  }
  const reason = 'ORDER BY RANK takes a scoring function: FullTextScore, VectorDistance or RRF.'
  throw new QueryError('BadRequest', reason, expression.span)
}

function compileFullTextScore(call: Call, scope: Scope): Score {
  refuseWrongCount(call, 2, Infinity)
  const [text, ...terms] = call.arguments.map((argument) => compileExpression(argument, scope))
  return (frames) => {
    const [first] = frames
    if (text === undefined || first === undefined) return []
    const score = new FullTextScore(terms.map((term) => termOf(term, first, call)))
    const texts = frames.map(text)
    texts.forEach((value) => {
      score.add(value)
    })
    return texts.map((value) => score.score(value))
  }
}

function termOf(
  evaluate: Evaluate,
  frame: Frame,
  { span }: Call,
): NonNullable<ReturnType<typeof searchTerm>> {
  const term = searchTerm(evaluate(frame))
  if (term !== undefined) return term
  const reason =
    'A term of FullTextScore must be a string, or { term, distance } with a distance from 0 to 2.'
  throw new QueryError('BadRequest', reason, span)
}

/**
 * A Euclidean distance is smaller for more similar vectors, so it is negated. The other measures are larger
 * for them.
 */
function compileSimilarity(call: Call, scope: Scope): Score {
  const distance = compileExpression(call, scope)
  const options = call.arguments[3]
  const optionsOf = options === undefined ? undefined : compileExpression(options, scope)
  return (frames) =>
    frames.map((frame) => {
      const value = distance(frame)
      if (typeof value !== 'number') return undefined
      return isEuclidean(optionsOf?.(frame)) ? -value : value
    })
}

function isEuclidean(options: unknown): boolean {
  const name = isObject(options) ? options['distanceFunction'] : undefined
  return typeof name === 'string' && name.toLowerCase() === 'euclidean'
}

/** The last argument of RRF may be an array with a weight for each scoring function. */
function compileFusion(call: Call, scope: Scope): Score {
  refuseWrongCount(call, 2, Infinity)
  const last = call.arguments.at(-1)
  const weighted = last !== undefined && unwrapped(last).kind !== 'call' ? last : undefined
  const functions = weighted === undefined ? call.arguments : call.arguments.slice(0, -1)
  const scores = functions.map((argument) => compileScore(argument, scope))
  const weightsOf = weighted === undefined ? undefined : compileExpression(weighted, scope)
  return (frames) => {
    const [first] = frames
    if (first === undefined) return []
    const weights = weightsOf?.(first) ?? scores.map(() => 1)
    if (!isWeights(weights, scores.length)) {
      const reason = `The weights of RRF must be an array of ${scores.length} numbers.`
      throw new QueryError('BadRequest', reason, call.span)
    }
    return reciprocalRankFusion(
      scores.map((score, index) => ({ scores: score(frames), weight: weights[index] ?? 1 })),
    )
  }
}

function isWeights(value: unknown, count: number): value is readonly number[] {
  return Array.isArray(value) && value.length === count && value.every((item) => typeof item === 'number')
}

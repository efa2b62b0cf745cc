import { fullTextScore, textStatistics } from '../functions/full-text/full-text-score.js'
import { compareScores, reciprocalRankFusion } from '../functions/full-text/reciprocal-rank-fusion.js'
import { searchTerm, type SearchTerm } from '../functions/full-text/search-term.js'
import { unwrapped, type Call, type Expression, type Query } from '../language/ast.js'
import { QueryError } from '../language/query-error.js'
import { isDistance } from '../functions/vector-functions.js'
import { work } from '../language/page-time.js'
import { refuseWrongCount } from '../values/query-function.js'
import { compileExpression } from './compile-expression.js'
import { compileDocumentPath } from './document-path.js'
import { fusionOf, scoreName, type Ranking } from './ranking.js'
import { constantScope, type Frame, type Scope } from './scope.js'

/** Scores each frame. Full-text scores depend on all documents of the container. */
type Score = (frames: readonly Frame[], all: Iterable<unknown>) => readonly (number | undefined)[]

/** Orders frames. */
export type Order = (frames: Iterable<Frame>, all: Iterable<unknown>) => readonly Frame[]

/**
 * Compiles a ranking, which needs all frames. Frames with equal scores keep their order, and frames without a
 * score come last.
 */
export function compileRank({ expression, isReversed }: Ranking, query: Query, scope: Scope): Order {
  const scoreOf = compileScore(expression, query, scope)
  const direction = isReversed ? -1 : 1
  return (frames, all) => {
    const read = [...frames]
    const scores = scoreOf(read, all)
    return read
      .map((frame, index) => ({ frame, score: scores[index] }))
      .sort((left, right) => compareScores(left.score, right.score, direction))
      .map(({ frame }) => frame)
  }
}

function compileScore(expression: Expression, query: Query, scope: Scope): Score {
  const call = unwrapped(expression)
  if (call.kind === 'call') {
    switch (call.name.toUpperCase()) {
      case 'FULLTEXTSCORE':
        return compileFullTextScore(call, query, scope)
      case 'VECTORDISTANCE':
        return compileFunction({ ...call, name: '_VectorScore' }, scope)
      case '_VECTORSCORE':
      case '_FULLTEXTSCORE':
        return compileFunction(call, scope)
      case 'RRF':
        return compileFusion(call, query, scope)
    }
  }
  const reason = 'ORDER BY RANK takes a scoring function: FullTextScore, VectorDistance or RRF.'
  throw new QueryError('BadRequest', reason, expression.span)
}

/** Compiles a function whose value is the score. */
function compileFunction(call: Call, scope: Scope): Score {
  const evaluate = compileExpression(call, scope)
  return (frames) => frames.map(evaluate).map((value) => (typeof value === 'number' ? value : undefined))
}

function compileFullTextScore(call: Call, query: Query, scope: Scope): Score {
  refuseWrongCount(call, 2, Infinity)
  const [path = call, ...wanted] = call.arguments
  const text = compileDocumentPath(path, query, scope)
  const terms = wanted.map((term) => termOf(term, scope))
  const timed = (frame: Frame): unknown => {
    scope.pageTime.spend(work.slowCall)
    return text(frame)
  }
  function* textsOf(documents: Iterable<unknown>): Generator {
    // The text is in the first source, so a frame with only the document is enough.
    for (const document of documents) yield timed([document])
  }
  return (frames, all) => {
    const statistics = textStatistics(textsOf(all), terms)
    return frames.map((frame) => fullTextScore(timed(frame), terms, statistics))
  }
}

function termOf(expression: Expression, scope: Scope): SearchTerm {
  const term = searchTerm(constantValue(expression, scope))
  if (term !== undefined) return term
  const reason =
    'A term of FullTextScore must be a string, or { term, distance } with a distance from 0 to 2.'
  throw new QueryError('BadRequest', reason, expression.span)
}

/** Returns the value of an expression that uses no document. */
function constantValue(expression: Expression, scope: Scope): unknown {
  return compileExpression(expression, constantScope(scope))([])
}

/** Checks whether the value of a scoring function is larger for more similar documents. */
export function isSimilarity(expression: Expression, scope: Scope): boolean {
  const call = unwrapped(expression)
  if (call.kind !== 'call' || call.name.toUpperCase() !== 'VECTORDISTANCE') return true
  const options = call.arguments[3]
  return options === undefined || !isDistance(constantValue(options, scope))
}

function compileFusion(call: Call, query: Query, scope: Scope): Score {
  refuseWrongCount(call, 2, Infinity)
  const { functions } = fusionOf(call)
  const nested = functions.find((argument) => scoreName(argument) === 'RRF')
  if (nested !== undefined) {
    throw new QueryError('BadRequest', 'RRF takes FullTextScore and VectorDistance, not RRF.', nested.span)
  }
  const scores = functions.map((argument) => compileScore(argument, query, scope))
  const weights = weightsOf(call, scope)
  return (frames, all) =>
    reciprocalRankFusion(
      scores.map((score, index) => ({ scores: score(frames, all), weight: weights[index] ?? 1 })),
    )
}

/** Returns the weights of the functions of RRF. They are empty if all functions weigh the same. */
export function weightsOf(call: Call, scope: Scope): readonly number[] {
  const { functions, weights } = fusionOf(call)
  if (weights === undefined) return []
  const values = constantValue(weights, scope)
  if (isWeights(values, functions.length)) return values
  const reason = `The weights of RRF must be an array of ${functions.length} numbers.`
  throw new QueryError('BadRequest', reason, weights.span)
}

function isWeights(value: unknown, count: number): value is readonly number[] {
  return Array.isArray(value) && value.length === count && value.every((item) => typeof item === 'number')
}

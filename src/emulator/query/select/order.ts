import type { Query } from '../language/ast.js'
import { compileDocumentPath } from './document-path.js'
import { work } from '../language/page-time.js'
import { compileExpression } from './compile-expression.js'
import { compileRank, type Order } from './rank.js'
import { rankingOf } from './ranking.js'
import type { Frame, Scope } from './scope.js'
import { compareValues } from '../values/values.js'

/**
 * Compiles an ORDER BY clause. A document without the property is kept and counts as the smallest, because
 * the service's range indexes contain undefined values. Documents with equal keys keep their order. Returns
 * undefined if the query has no such clause.
 *
 * @param most the maximum number of frames that the caller needs
 */
export function compileOrder(query: Query, scope: Scope, most: number): Order | undefined {
  const ranking = rankingOf(query)
  if (ranking !== undefined) return compileRank(ranking, query, scope)
  if (query.orderBy.length === 0) return undefined
  const keys = query.orderBy.map(({ expression, direction, isComputed = false }) => ({
    evaluate: isComputed
      ? compileExpression(expression, scope)
      : compileDocumentPath(expression, query, scope),
    sign: direction === 'DESC' ? -1 : 1,
  }))
  const keyed = (frame: Frame): Keyed => ({ frame, values: keys.map(({ evaluate }) => evaluate(frame)) })
  const signs = keys.map(({ sign }) => sign)
  const { pageTime } = scope
  const compare = (left: Keyed, right: Keyed): number => {
    pageTime.spend(work.comparedValues)
    for (let index = 0; index < signs.length; index += 1) {
      const difference = compareValues(left.values[index], right.values[index])
      if (difference !== 0) return difference * (signs[index] ?? 1)
    }
    return 0
  }
  return (frames) =>
    (most <= mostKept ? leading(frames, keyed, compare, most) : Array.from(frames, keyed).sort(compare)).map(
      ({ frame }) => frame,
    )
}

interface Keyed {
  readonly frame: Frame
  readonly values: readonly unknown[]
}

/**
 * The largest number of needed frames for which it is faster to keep only the leading frames than to sort all
 * of them.
 */
const mostKept = 1_000

/**
 * Returns the first `most` frames in order. Collects twice as many frames (at least 1,000), sorts them, drops
 * those after the first `most`, and continues.
 */
function leading(
  frames: Iterable<Frame>,
  keyed: (frame: Frame) => Keyed,
  compare: (left: Keyed, right: Keyed) => number,
  most: number,
): readonly Keyed[] {
  let kept: Keyed[] = []
  let last: Keyed | undefined
  const room = Math.max(2 * most, 1_000)
  const sift = (): void => {
    kept = kept.sort(compare).slice(0, most)
    last = kept.length < most ? undefined : kept.at(-1)
  }
  for (const frame of frames) {
    const next = keyed(frame)
    // A frame that equals the last kept one comes after it, because equal frames keep their order.
    if (last !== undefined && compare(next, last) >= 0) continue
    kept.push(next)
    if (kept.length >= room) sift()
  }
  sift()
  return kept
}

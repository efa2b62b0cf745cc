import { unwrapped, type Expression } from '../language/ast.js'
import type { Slice } from './rewrite.js'

/** One scoring function of a ranking, as text for the queries of a plan. */
export interface Component {
  /** The score of a document. In a full-text score, clients replace the placeholders in braces. */
  readonly score: string
  /** The score, or a number that ranks last if a document has no score. */
  readonly scored: string
  /** True if lower scores rank first, because the weight is negative. */
  readonly isAscending: boolean
  /** The direction in ORDER BY. */
  readonly direction: string
  /** What the query for statistics counts for a full-text score. */
  readonly statistics: string | undefined
}

/** A number below every full-text score, because these scores are never negative. */
const belowTextScores = '-1'

/** The largest number, as the service writes it. */
const largest = '1.79769e+308'

/** Returns the components of a ranking. A missing weight counts as positive. */
export function componentsOf(
  calls: readonly Expression[],
  weights: readonly number[],
  slice: Slice,
): readonly Component[] {
  let texts = 0
  return calls.map((expression, index) => {
    const call = unwrapped(expression)
    const given = call.kind === 'call' ? call.arguments.map(({ span }) => slice(span)) : []
    const isAscending = (weights[index] ?? 1) < 0
    const isText = call.kind === 'call' && call.name.toUpperCase() === 'FULLTEXTSCORE'
    return isText ? textComponent(given, (texts += 1) - 1, isAscending) : vectorComponent(given, isAscending)
  })
}

function textComponent(given: readonly string[], index: number, isAscending: boolean): Component {
  const [path = '', ...terms] = given
  const placeholders = ['totaldocumentcount', `totalwordcount-${index}`, `hitcountsarray-${index}`]
    .map((name) => `{documentdb-formattablehybridsearchquery-${name}}`)
    .join(', ')
  const score = `_FullTextScore(${path}, [${terms.join(', ')}], ${placeholders})`
  const hits = terms.map((term) => `COUNTIF(FullTextContains(${path}, ${term}))`).join(', ')
  return {
    score,
    scored: `(${score} ?? ${isAscending ? largest : belowTextScores})`,
    isAscending,
    direction: isAscending ? ' ASC' : ' DESC',
    statistics: `{"totalWordCount": SUM(_FullTextWordCount(${path})), "hitCounts": [${hits}]}`,
  }
}

function vectorComponent(given: readonly string[], isAscending: boolean): Component {
  const score = `_VectorScore(${given.join(', ')})`
  return {
    score,
    scored: `(${score} ?? ${isAscending ? '' : '-'}${largest})`,
    isAscending,
    direction: isAscending ? ' ASC' : '',
    statistics: undefined,
  }
}

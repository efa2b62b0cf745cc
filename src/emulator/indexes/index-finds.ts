import { isIndexed, type DocumentVersion, type IndexingPolicy } from '../engine/index.js'
import type { CompiledQuery } from '../query/index.js'
import { isAbove, isBelow } from '../query/values/span.js'
import { memberOf } from '../query/values/values.js'

/**
 * Returns a function that checks whether a query would find a document by the indexes of a policy. The
 * document must then fulfil each condition of the filter on an indexed path.
 */
export function indexFinds(
  policy: IndexingPolicy,
  { conditions }: Pick<CompiledQuery, 'conditions'>,
): (version: DocumentVersion) => boolean {
  const indexed = conditions.filter(({ steps }) => isIndexed(policy, steps))
  return ({ document }) =>
    indexed.every(({ steps, spans }) => {
      const value = steps.reduce<unknown>(memberOf, document)
      return spans.some((span) => !isBelow(value, span) && !isAbove(value, span))
    })
}

import type { Query, Source } from '../language/ast.js'
import { isGrouped } from './rows.js'

/**
 * Checks whether the rows of a query depend on documents. Only the first source of a query can read the
 * container, directly or in a subquery.
 */
export function readsContainer({ sources: [first] }: Query): boolean {
  if (first === undefined) return false
  return first.collection.kind === 'query' ? readsContainer(first.collection.query) : true
}

/**
 * Returns the subquery in FROM whose rows depend on several documents at once, as in `FROM (SELECT DISTINCT …
 * FROM c)`. Returns undefined if each row of FROM comes from one document.
 */
export function combiningSource({ sources: [first] }: Query): Source | undefined {
  if (first?.collection.kind !== 'query') return undefined
  const { query } = first.collection
  const isCombining = (query.isDistinct || isGrouped(query)) && readsContainer(query)
  return isCombining ? first : combiningSource(query)
}

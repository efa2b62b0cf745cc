import { notFound } from '../../engine/index.js'
import type { Answer } from '../../messages/rest-message.js'
import { containerOf, type RouteContext } from './context.js'
import { routeResources } from './item-queries.js'

/**
 * Answers `…/conflicts` and `…/conflicts/{conflict}`. The feed is always empty, because writes conflict only
 * in accounts with several write regions.
 */
export function routeConflicts(context: RouteContext): Answer | undefined {
  const { request, segments } = context
  const { rid } = containerOf(context)
  if (segments[5] === undefined) return routeResources(context, 'Conflicts', [], rid)
  if (request.method !== 'GET' && request.method !== 'DELETE') return undefined
  throw notFound(`The conflict '${segments[5]}'`)
}

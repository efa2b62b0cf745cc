import {
  badRequest,
  compositeIndexOf,
  isIndexed,
  notSupported,
  type ContainerDefinition,
} from '../../engine/index.js'
import type { CompiledQuery } from '../../query/index.js'

/**
 * Refuses a query that needs an index which the container lacks. The errors have the service's texts. The
 * service can scan all documents for a filter, but not for an order.
 *
 * @param mayScan whether the client allows the service to filter without an index
 */
export function refuseWithoutIndex(
  query: CompiledQuery,
  definition: ContainerDefinition,
  mayScan: boolean,
): void {
  const { indexingPolicy, isPlanar } = definition
  const usage = query.usage()
  if (usage.hasFilter && indexingPolicy.mode === 'none' && !mayScan) throw badRequest(noScan)
  if (usage.hasSpatialFunction && isPlanar) {
    throw notSupported('A spatial function on a container whose geospatialConfig is Geometry')
  }
  for (const steps of usage.scoredPaths) assertScorable(steps, definition)
  assertOrder(usage.orderBy, definition)
}

type Order = ReturnType<CompiledQuery['usage']>['orderBy']

function assertOrder(order: Order, { computedProperties, indexingPolicy }: ContainerDefinition): void {
  const [first, second] = order
  if (first === undefined || first.steps.length === 0) return
  if (second === undefined) {
    // A path such as /* does not include computed properties, so they have their own setting.
    const computed = computedProperties.find(({ name }) => name === first.steps[0])
    if (!(computed?.isIndexed ?? isIndexed(indexingPolicy, first.steps))) throw badRequest(excluded)
    return
  }
  if (compositeIndexOf(indexingPolicy, order) === undefined) throw badRequest(noCompositeIndex)
}

function assertScorable(steps: readonly (string | number)[], { fullTextIndexes }: ContainerDefinition): void {
  const path = `/${steps.join('/')}`
  if (fullTextIndexes.includes(path)) return
  throw badRequest(
    `FullTextScore needs a full-text index for the path ${path}. Add the path to the fullTextPolicy, and to ` +
      'the fullTextIndexes of the indexing policy.',
  )
}

const noScan =
  'An invalid query has been specified with filters against path(s) excluded from indexing. Consider adding ' +
  'allow scan header in the request.'

const excluded = 'The index path corresponding to the specified order-by item is excluded.'

const noCompositeIndex =
  'The order by query does not have a corresponding composite index that it can be served from.'

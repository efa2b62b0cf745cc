import type { CosmosClient } from '@azure/cosmos'
import { contextOf, isObject } from './cosmos-client-context.js'

/** The part of the SDK that remembers the partition key ranges of containers. */
interface RangeCache {
  collectionRoutingMapByCollectionId: Record<string, unknown>
  requestCollectionRoutingMap: (...args: unknown[]) => Promise<unknown>
}

const mended = new WeakSet<object>()

/**
 * Lets a client ask again for the partition key ranges of a container after a request for them has failed. Without this, the
 * SDK keeps the failed answer until its process ends: reads of the feed and requests for several documents then fail for good.
 */
export function askAgainForRanges(client: CosmosClient): void {
  const cache = contextOf(client, 'partitionKeyRangeCache')
  if (!isRangeCache(cache) || mended.has(cache)) return
  mended.add(cache)
  const ask = cache.requestCollectionRoutingMap.bind(cache)
  cache.requestCollectionRoutingMap = async (...args) => {
    try {
      return await ask(...args)
    } catch (error) {
      // The answers for other containers are asked for again, too, which takes a request for each of them.
      cache.collectionRoutingMapByCollectionId = {}
      throw error
    }
  }
}

function isRangeCache(cache: unknown): cache is RangeCache {
  if (!isObject(cache)) return false
  const ask: unknown = Reflect.get(cache, 'requestCollectionRoutingMap')
  return typeof ask === 'function' && isObject(Reflect.get(cache, 'collectionRoutingMapByCollectionId'))
}

import type { ChangeFeed } from '../change-feed-processor/index.js'

/**
 * Returns a feed whose pages cannot be changed. The roles of a process receive the same documents, so a role
 * that changed one would mislead the others. With this feed, such a role throws.
 */
export function frozenFeed(feed: ChangeFeed): ChangeFeed {
  return {
    physicalRanges: () => feed.physicalRanges(),
    partitionKeyPaths: () => feed.partitionKeyPaths(),
    readNext: async (from, options) => frozen(await feed.readNext(from, options)),
    readAllVersions: async (from, options) => frozen(await feed.readAllVersions(from, options)),
  }
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  // The SDK's record of the request is not ours, and the SDK may still write into it.
  for (const [name, part] of Object.entries(value)) if (name !== 'diagnostics') frozen(part)
  return Object.freeze(value)
}

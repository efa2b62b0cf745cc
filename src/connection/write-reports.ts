import type { CosmosClient } from '@azure/cosmos'

/**
 * Calls `onWrite` with the physical partition of each write to a container, or with null if it is unknown.
 * Returns a function that ends this.
 */
export type WatchWrites = (
  database: string,
  container: string,
  onWrite: (physicalRangeId: string | null) => void,
) => () => void

const reports = new WeakMap<CosmosClient, WatchWrites>()

/** Remembers that the store of this client can report writes, so that roles need not wait for their polls. */
export function reportWrites(client: CosmosClient, watch: WatchWrites): void {
  reports.set(client, watch)
}

/** Returns how the store of this client reports writes. Undefined if it does not. */
export function writeReportsOf(client: CosmosClient): WatchWrites | undefined {
  return reports.get(client)
}

import type { CosmosClient } from '@azure/cosmos'

/** Returns a part of a client that the SDK does not publish, or null if this version of the SDK does not have it. */
export function contextOf(client: CosmosClient, part: string): unknown {
  const context: unknown = Reflect.get(client, 'clientContext')
  return isObject(context) ? (Reflect.get(context, part) ?? null) : null
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

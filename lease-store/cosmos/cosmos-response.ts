import type { Container } from '@azure/cosmos'

/** The store's time as an answer's headers tell it, milliseconds since the epoch, whole seconds; null if they do not. */
export function storeTimeMs(headers: Readonly<Record<string, unknown>>): number | null {
  const { date } = headers
  const parsed = typeof date === 'string' ? Date.parse(date) : Number.NaN
  return Number.isNaN(parsed) ? null : parsed
}

/**
 * Host part of the endpoint a container's client was configured with. The SDK does not publish it; what it does publish
 * may carry a region, and .NET hosts name leases after the endpoint without one.
 */
export async function accountHostOf(container: Container): Promise<string> {
  const configured = at(at(at(container.database.client, 'clientContext'), 'cosmosClientOptions'), 'endpoint')
  const endpoint =
    typeof configured === 'string' ? configured : await container.database.client.getWriteEndpoint()
  return new URL(endpoint).hostname
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}

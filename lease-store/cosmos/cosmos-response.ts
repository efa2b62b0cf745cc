import type { Container } from '@azure/cosmos'

/**
 * Returns the store's time from the headers of an answer, in milliseconds since the epoch and whole seconds.
 * Null if the headers have no date.
 */
export function storeTimeMs(headers: Readonly<Record<string, unknown>>): number | null {
  const { date } = headers
  const parsed = typeof date === 'string' ? Date.parse(date) : Number.NaN
  return Number.isNaN(parsed) ? null : parsed
}

/**
 * Returns the host part of the endpoint that a container's client was configured with. The SDK does not
 * publish that endpoint. The one it publishes may name a region, and .NET hosts name leases after the
 * endpoint without one.
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

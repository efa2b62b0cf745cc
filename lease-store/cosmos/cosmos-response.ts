import type { Container } from '@azure/cosmos'

/**
 * Returns the store's time from the headers of an answer, or null if the headers have no date. The time is in
 * milliseconds since the epoch, rounded to whole seconds.
 */
export function storeTimeMs(headers: Readonly<Record<string, unknown>>): number | null {
  const { date } = headers
  const parsed = typeof date === 'string' ? Date.parse(date) : Number.NaN
  return Number.isNaN(parsed) ? null : parsed
}

/**
 * Returns the host part of the endpoint with which a container's client was configured. .NET hosts name
 * leases after this endpoint. The endpoint that the SDK publishes may name a region instead, so this function
 * reads a private field.
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

import type { Container, OfferDefinition } from '@azure/cosmos'
import { cosmosErrorKind } from '../../lease-store/internal.js'

/** The throughput that is provisioned for a container, or the reason why it is not known. */
export interface Throughput {
  /** Request units per second, or null if they are not known. The largest ones, if the service scales. */
  readonly requestUnits: number | null
  readonly kind: 'manual' | 'autoscale' | 'given' | 'unknown'
  /** Where the throughput is provisioned. A database shares it among its containers. */
  readonly of: 'container' | 'database' | null
  /** Why the throughput is not known. Otherwise null. */
  readonly reason: string | null
}

/**
 * Reads the throughput of a container, or of the database that shares its throughput. An identity without rights on
 * the account may not read it, and a serverless account has none.
 */
export async function readThroughput(container: Container): Promise<Throughput> {
  try {
    const own = found((await container.readOffer()).resource, 'container')
    const shared = own ?? found((await container.database.readOffer()).resource, 'database')
    return shared ?? unknown('the account is serverless, or shows no throughput')
  } catch (error) {
    return unknown(
      cosmosErrorKind(error).kind === 'forbidden'
        ? 'this identity may not read the throughput'
        : 'the store does not tell the throughput',
    )
  }
}

function found(offer: OfferDefinition | undefined, of: 'container' | 'database'): Throughput | null {
  const most = offer?.content?.offerAutopilotSettings?.maxThroughput
  const requestUnits = most ?? offer?.content?.offerThroughput
  if (requestUnits === undefined) return null
  return { requestUnits, kind: most === undefined ? 'manual' : 'autoscale', of, reason: null }
}

function unknown(reason: string): Throughput {
  return { requestUnits: null, kind: 'unknown', of: null, reason }
}

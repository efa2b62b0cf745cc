import type { Container } from '@azure/cosmos'
import { cosmosErrorKind } from '../../lease-store/index.js'
import type { Clock } from '../platform/index.js'
import { StoreRefused } from '../sas/index.js'
import type { OpenConnection } from './connection.js'
import { explained, type Containers } from './containers.js'

/** What the store told of itself before anything ran on it. */
export interface Checked {
  /** The store's clock minus this machine's, milliseconds; 0 where they agree as far as can be seen. */
  readonly clockOffsetMs: number
  /** What works, but not as well as it might. */
  readonly advice: readonly string[]
}

/** The service tells its time in whole seconds, and an answer takes its time, so less than this is no difference. */
const visibleOffsetMs = 2_000

/**
 * Checks what must hold before a role runs: one write region, permission to write, and the clocks.
 *
 * @throws StoreRefused or StoreUnavailable, each saying what to do
 */
export async function checkStore(
  connection: OpenConnection,
  { state, leases }: Containers,
  clock: Clock,
): Promise<Checked> {
  try {
    const { resource, headers } = await connection.client.getDatabaseAccount()
    const clockOffsetMs = offsetOf(headers, clock.now())
    if (resource?.enableMultipleWritableLocations === true) {
      // I12, I22: two regions would both accept a write on the same etag.
      throw new StoreRefused(
        `${connection.endpoint} writes in several regions, where two instances can both win one lease: ` +
          'turn multi-region writes off for this account, or use another one',
      )
    }
    await Promise.all([state, leases].map((container) => mayWrite(container)))
    const advice = await Promise.all([state, leases].map((container) => ttlAdvice(container)))
    return { clockOffsetMs, advice: [...advice.flat(), ...clockAdvice(clockOffsetMs)] }
  } catch (error) {
    throw explained(connection, error)
  }
}

/** A replace of what is not there changes nothing, and is refused where writing would be. */
async function mayWrite(container: Container): Promise<void> {
  const id = 'stepward.permission-check'
  try {
    await container.item(id, id).replace({ id, pk: id })
  } catch (error) {
    if (cosmosErrorKind(error).kind !== 'notFound') throw error
  }
}

async function ttlAdvice(container: Container): Promise<readonly string[]> {
  const { resource } = await container.read()
  if (resource?.defaultTtl === -1) return []
  const result = 'documents that are done with are kept for ever: turn time to live on, without a default'
  return [`container ${JSON.stringify(container.id)} has no time to live, so ${result}`]
}

function clockAdvice(offsetMs: number): readonly string[] {
  if (offsetMs === 0) return []
  const direction = offsetMs > 0 ? 'behind' : 'ahead of'
  const seconds = Math.round(Math.abs(offsetMs) / 1_000)
  return [
    `this machine's clock is ${seconds} s ${direction} the store's; deadlines follow the store's: set the clock right`,
  ]
}

/** The header holds a second that has begun: half of it is the best guess. */
function offsetOf(headers: Readonly<Record<string, unknown>>, nowMs: number): number {
  const { date } = headers
  const storeMs = typeof date === 'string' ? Date.parse(date) + 500 : Number.NaN
  const offsetMs = storeMs - nowMs
  return Number.isNaN(offsetMs) || Math.abs(offsetMs) < visibleOffsetMs ? 0 : offsetMs
}

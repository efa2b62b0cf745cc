import type { Container } from '@azure/cosmos'
import { cosmosErrorKind } from '../../lease-store/index.js'
import type { StoreClock } from '../platform/index.js'
import { StoreRefused } from '../sas/index.js'
import { accountProblem } from './account-watch.js'
import type { OpenConnection } from './connection.js'
import { explained, type Containers } from './containers.js'

/** What the store told of itself before anything ran on it. */
export interface Checked {
  /** What works, but not as well as it might. */
  readonly advice: readonly string[]
}

/** Questions for the store's time, at most, where answers take long. */
const maxQuestions = 5

/**
 * Checks what must hold before a role runs: one write region, consistency, permission to write, and the clocks.
 *
 * @throws StoreRefused or StoreUnavailable, each saying what to do
 */
export async function checkStore(
  connection: OpenConnection,
  { state, leases }: Containers,
  clock: Pick<StoreClock, 'isSettled'>,
): Promise<Checked> {
  try {
    const { resource } = await connection.client.getDatabaseAccount()
    const problem = accountProblem(connection, resource)
    if (problem !== null) throw new StoreRefused(problem)
    await Promise.all([state, leases].map((container) => mayWrite(container)))
    const advice = await Promise.all([state, leases].map((container) => ttlAdvice(container)))
    // Every answer tells the time; more are asked for only while they took too long to tell it well.
    for (let asked = 1; asked < maxQuestions && !clock.isSettled; asked += 1) {
      await connection.client.getDatabaseAccount()
    }
    return { advice: advice.flat() }
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

import type { Container } from '@azure/cosmos'
import { cosmosErrorKind } from '../../lease-store/internal.js'
import type { StoreClock } from '../platform/internal.js'
import { StoreRefused } from '../sas/index.js'
import { accountProblem } from './account-watch.js'
import { type OpenConnection, explained, type Containers } from '../connection/internal.js'

/** The largest number of requests that are made to learn the store's time. */
const maxQuestions = 5

/**
 * Checks the preconditions of a role: one write region, sufficient consistency, and permission to write. Also
 * learns the store's time.
 *
 * @throws StoreRefused or StoreUnavailable, each with advice
 */
export async function checkStore(
  connection: OpenConnection,
  { state, leases }: Containers,
  clock: Pick<StoreClock, 'isSettled'>,
): Promise<void> {
  try {
    const { resource } = await connection.client.getDatabaseAccount()
    const problem = accountProblem(connection, resource)
    if (problem !== null) throw new StoreRefused(problem)
    await Promise.all([state, leases].map((container) => mayWrite(container)))
    // Every answer contains the time, but slow answers may leave it too uncertain.
    for (let asked = 1; asked < maxQuestions && !clock.isSettled; asked += 1) {
      await connection.client.getDatabaseAccount()
    }
  } catch (error) {
    throw explained(connection, error)
  }
}

/** Checks the permission to write by replacing a document that does not exist, which changes nothing. */
async function mayWrite(container: Container): Promise<void> {
  const id = 'stepward.permission-check'
  try {
    await container.item(id, id).replace({ id, pk: id })
  } catch (error) {
    if (cosmosErrorKind(error).kind !== 'notFound') throw error
  }
}

import type { Connection, Role } from '../connection/index.js'
import { estimateLag } from './leases.js'
import { processorNameOf } from '../connection/internal.js'

/** The lag of one role. */
export interface UnitLag {
  /** The number of changes that are not yet handled, summed over all leases of the role. */
  readonly lag: number
  readonly leaseCount: number
}

/**
 * Returns the figures of the role in `of` that has the largest lag.
 *
 * @throws UnitNotFound, StoreUnavailable or StoreRefused, each with advice
 */
export async function unitLag(
  connection: Connection & { readonly unitPrefix?: string },
  of: readonly Role[],
): Promise<UnitLag> {
  const { leases: estimates } = await estimateLag(connection)
  const units = of.map((role): UnitLag => {
    const processorName = processorNameOf(role, connection.unitPrefix)
    const leases = estimates.filter((row) => row.processorName === processorName)
    const lag = leases.reduce((sum, { estimatedLag }) => sum + estimatedLag, 0)
    return { lag, leaseCount: leases.length }
  })
  return units.reduce((most, unit) => (unit.lag > most.lag ? unit : most))
}

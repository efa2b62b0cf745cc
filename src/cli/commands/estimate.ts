import { estimateLag } from '../../host/index.js'
import { exitCodes } from '../cli-error.js'
import { durationText } from '../duration-text.js'
import { fitted } from '../fitted.js'
import { withUnits } from '../store.js'
import type { UnitOptions } from '../store-options.js'
import { table, type Terminal } from '../terminal.js'

/** Shows how far each lease is behind, and all of them together. */
export async function estimate(options: UnitOptions, terminal: Terminal): Promise<number> {
  const { leases, notEstimated } = await withUnits({ options, terminal }, estimateLag)
  const total = leases.reduce((sum, { estimatedLag }) => sum + estimatedLag, 0)
  if (options.json === true) {
    terminal.print(JSON.stringify({ total, leases, notEstimated }))
    return exitCodes.ok
  }
  if (leases.length > 0) {
    const lines = leases.map((lease) => [
      lease.processorName,
      lease.leaseToken,
      lease.owner ?? '(free)',
      String(lease.estimatedLag),
      lease.oldestAgeMs === null ? '' : durationText(lease.oldestAgeMs),
    ])
    const head = ['PROCESSOR', 'LEASE', 'OWNER', 'LAG', 'OLDEST']
    terminal.print(table(head, fitted(head, lines, terminal.tableWidth)))
  }
  terminal.print(`${total} changes behind, at most, in ${leases.length} leases`)
  for (const { processorName, leases: count, reason } of notEstimated)
    terminal.print(`not counted: ${count} leases of ${JSON.stringify(processorName)}: ${reason}`)
  return exitCodes.ok
}

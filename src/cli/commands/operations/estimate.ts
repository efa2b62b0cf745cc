import { estimateLag, standingSentence } from '../../../operations/index.js'
import { counted } from '../../../platform/internal.js'
import { exitCodes } from '../../output/cli-error.js'
import { durationText } from '../../output/duration-text.js'
import { forSameStore } from '../../output/same-store.js'
import { fitted } from '../../output/fitted.js'
import { withUnits } from '../../input/store.js'
import type { UnitOptions } from '../../input/store-options.js'
import { table, warning, type Terminal } from '../../output/terminal.js'

/**
 * Prints the lag of each lease, and the total. The exit code is 1 if jobs wait for a role that does not run.
 */
export async function estimate(options: UnitOptions, terminal: Terminal): Promise<number> {
  const { leases, notEstimated, standing } = await withUnits({ options, terminal }, estimateLag)
  const code = standing === null ? exitCodes.ok : exitCodes.failed
  const total = leases.reduce((sum, { estimatedLag }) => sum + estimatedLag, 0)
  if (options.json === true) {
    terminal.print(JSON.stringify({ total, leases, notEstimated, standing }))
    return code
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
  terminal.print(`at most ${counted(total, 'change')} behind in ${counted(leases.length, 'lease')}`)
  for (const { processorName, leases: count, reason } of notEstimated)
    terminal.print(`not counted: ${counted(count, 'lease')} of ${JSON.stringify(processorName)}: ${reason}`)
  if (standing !== null) {
    const command = forSameStore(standing.command, options)
    terminal.print(warning(standingSentence({ ...standing, command })))
  }
  return code
}

import { counted } from '../../../platform/internal.js'
import { exitCodes } from '../../output/cli-error.js'
import type { Terminal } from '../../output/terminal.js'
import { rebalanceFleet } from '../../input/fleet-control.js'
import { refuseUnknownRole } from '../../input/scale-target.js'

export interface RebalanceOptions {
  readonly state?: string
  readonly dryRun?: boolean
  readonly json?: boolean
  readonly verbose?: boolean
}

/** Lets the processes of the fleet on this machine look for leases now. */
export async function rebalance(
  role: string | undefined,
  options: RebalanceOptions,
  terminal: Terminal,
): Promise<number> {
  if (role !== undefined) refuseUnknownRole(role)
  const { dryRun = false } = options
  const instances = await rebalanceFleet(options.state, role, dryRun)
  const said = dryRun ? 'would look for leases' : 'looks for leases'
  if (options.json === true) terminal.print(JSON.stringify({ isDryRun: dryRun, instances }))
  else terminal.print(`${counted(instances.length, 'process', 'processes')}: each ${said}`)
  return exitCodes.ok
}

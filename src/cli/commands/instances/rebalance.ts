import { fleetPlace } from '../../../fleet/index.js'
import { counted } from '../../../platform/internal.js'
import { exitCodes } from '../../output/cli-error.js'
import type { Terminal } from '../../output/terminal.js'
import { rebalanceFleet } from '../../input/fleet-control.js'
import { refuseUnknownRole } from '../../input/scale-target.js'
import { recordedDecision, saidIn, type DecisionOptions } from './record-decision.js'

export type RebalanceOptions = Omit<DecisionOptions, 'appService' | 'resourceGroup' | 'subscription'>

/** Lets the processes of the fleet on this machine look for leases now, and then records who decided this and why. */
export async function rebalance(
  role: string | undefined,
  options: RebalanceOptions,
  terminal: Terminal,
): Promise<number> {
  if (role !== undefined) refuseUnknownRole(role)
  const { by, why } = await saidIn('rebalance', options)
  const { dryRun = false } = options
  const instances = await rebalanceFleet(options.state, role, dryRun)
  const numbers = { from: null, to: null }
  const terms = {
    command: 'rebalance',
    role: role ?? 'all',
    ...numbers,
    target: fleetPlace(),
    by,
    why,
  } as const
  const missing = dryRun ? null : await recordedDecision(terms, options, terminal)
  if (options.json === true) {
    const said = dryRun ? {} : { by, why, isRecorded: missing === null }
    const note = missing === null ? {} : { note: missing }
    terminal.print(JSON.stringify({ isDryRun: dryRun, instances, ...said, ...note }))
  } else {
    const looks = dryRun ? 'would look for leases' : 'looks for leases'
    terminal.print(`${counted(instances.length, 'process', 'processes')}: each ${looks}`)
  }
  if (missing !== null) terminal.note(`stepward: ${missing}`)
  return exitCodes.ok
}

import { leaveParent } from '../parent-channel.js'
import { runFleet } from '../run-fleet.js'
import { idle, runHost } from '../run-host.js'
import { runOnce } from '../run-once.js'
import { planOf, type StartOptions } from '../start-plan.js'
import { withStore } from '../store.js'
import type { Terminal } from '../terminal.js'

/** Runs roles until told to stop: in this process, or as a fleet of processes of their own. */
export async function start(options: StartOptions, terminal: Terminal): Promise<number> {
  try {
    return await startPlanned(options, terminal)
  } finally {
    leaveParent()
  }
}

async function startPlanned(options: StartOptions, terminal: Terminal): Promise<number> {
  const plan = await planOf(options)
  if (!plan.environment.isEnabled) return idle(plan, terminal)
  return withStore(options, plan.settings, (settings) => {
    if (options.once === true) return runOnce({ ...plan, settings }, options, terminal)
    return plan.instances === null
      ? runHost({ ...plan, settings }, options, terminal)
      : runFleet({ ...plan, settings, instances: plan.instances }, options, terminal)
  })
}

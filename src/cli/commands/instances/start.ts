import { leaveParent } from '../../input/parent-channel.js'
import { runFleet } from '../../running/run-fleet.js'
import { idle, runHost } from '../../running/run-host.js'
import { runOnce } from '../../running/run-once.js'
import { planOf, type StartOptions } from '../../running/start-plan.js'
import { withStore } from '../../input/store.js'
import type { Terminal } from '../../output/terminal.js'

/** Runs roles until a signal stops them, in this process or in a fleet of child processes. */
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

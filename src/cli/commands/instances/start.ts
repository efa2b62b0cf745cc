import { leaveParent, roleFromParent } from '../../input/parent-channel.js'
import { runFleet } from '../../running/run-fleet.js'
import { idle, runHost } from '../../running/run-host.js'
import { runOnce } from '../../running/run-once.js'
import { planOf, type StartOptions, type StartPlan } from '../../running/start-plan.js'
import { loadForStore, withStore } from '../../input/store.js'
import { exitCodes } from '../../output/cli-error.js'
import type { Terminal } from '../../output/terminal.js'

/** Runs roles until a signal stops them, in this process or in a fleet of child processes. */
export async function start(options: StartOptions, terminal: Terminal): Promise<number> {
  try {
    return options.inReserve === true
      ? await startFromReserve(options, terminal)
      : await startPlanned(options, terminal, await planOf(options))
  } finally {
    leaveParent()
  }
}

/** Loads what the role will use, waits for a role, and then reads the settings, so that they are as new as those of another process. */
async function startFromReserve(options: StartOptions, terminal: Terminal): Promise<number> {
  await loadForStore(options)
  const begin = await roleFromParent()
  if (begin === null) return exitCodes.ok
  const own = { ...options, role: [begin.role] }
  const plan = await planOf(own)
  const environment = { ...plan.environment, instanceName: begin.instanceName }
  return startPlanned(own, terminal, { ...plan, environment })
}

async function startPlanned(options: StartOptions, terminal: Terminal, plan: StartPlan): Promise<number> {
  if (!plan.environment.isEnabled) return idle(plan, terminal)
  const { instances } = plan
  const holder = options.supervised === true ? 'parent' : 'self'
  const run = (settings: StartPlan['settings']): Promise<number> => {
    if (options.once === true) return runOnce({ ...plan, settings }, options, terminal)
    return instances === null
      ? runHost({ ...plan, settings }, options, terminal)
      : runFleet({ ...plan, settings, instances }, options, terminal)
  }
  return withStore(options, plan.settings, run, holder)
}

import type { Agent } from '../../src/sas/agents/agent.js'
import type { Processes } from '../../src/platform/internal.js'
import { InProcessPath } from '../../src/sas/in-process/in-process-path.js'
import type { StateWorld } from './state-world.js'
import { nothingWaits } from './waiting-agents.js'

export const leaseToken = '0'
export const going: {
  readonly leaseToken: string
  readonly signal: AbortSignal
  readonly wasHeldAt: () => boolean
} = { leaseToken, signal: new AbortController().signal, wasHeldAt: () => true }

interface OneProcess {
  readonly name?: string
  readonly slots?: number
  readonly processes?: Processes
}

/**
 * A scheduler and agents of one process that own the same range, as `createScheduler` and `createAgents` wire them. `woken` has the
 * ranges of open steps that did not start here.
 */
export function together(
  world: StateWorld,
  agentsOf: readonly Agent[],
  { name = 'one', slots = 4, ...processes }: OneProcess = {},
) {
  const inProcessPath = new InProcessPath()
  const woken: (string | null)[] = []
  const scheduler = world.scheduler(name, { inProcessPath, onOpenSteps: (range) => woken.push(range) })
  const agents = world.agents({ agents: agentsOf, slots, instanceName: name, inProcessPath, ...processes })
  inProcessPath.scheduler.open(leaseToken, {
    isWhole: false,
    beginSubmission: () => null,
    begin: (accepted) => scheduler.begin(accepted, leaseToken),
    settleAndSchedule: (ended) => scheduler.settleAndSchedule(ended, leaseToken),
    foresee: (changes) => scheduler.known.foresee(changes),
    documentAttempts: () => scheduler.documentAttempts(leaseToken),
  })
  inProcessPath.agents.open(leaseToken, {
    ...nothingWaits,
    start: (step) => agents.startNow(step, leaseToken),
    promise: (step, ended) => agents.promise(step, ended),
    withdraw: (step) => agents.withdraw(step),
    token: agents.token,
    hasBegun: (step) => agents.hasBegun(step),
    maker: agents.maker,
  })
  return { scheduler, agents, inProcessPath, woken }
}

/** Counts the holds of the checkpoint that are not released. */
export function holding() {
  const state = { held: 0 }
  const holdCheckpoint = () => {
    state.held += 1
    let isOver = false
    return () => {
      if (!isOver) state.held -= 1
      isOver = true
    }
  }
  return { state, context: { ...going, holdCheckpoint } }
}

import { connect, defineAgent, startHost, systemClock } from '../../../src/index.js'
import { resetProcessor } from '../../../src/change-feed-processor/index.js'
import type { InProcessCosmos } from '../../../src/emulator/index.js'
import { measured, processorMs } from './measured.js'
import type { Figures } from './phases.js'

/** What operators ask first. Each runs twice. */
export async function asked(cosmos: InProcessCosmos, suffix = ''): Promise<Figures> {
  const client = await connect({ embedded: cosmos })
  const questions = {
    newest: async () => {
      const jobs = await client.list({ limit: 50 })
      if (jobs.length === 0) throw new Error('the store has no jobs')
    },
    flagged: () => client.select({ isFlagged: true }).list(),
    counts: () => client.counts(),
  }
  const figures: Record<string, number> = {}
  for (const [name, ask] of Object.entries(questions)) {
    const first = await measured(ask)
    const again = await measured(ask)
    figures[`${name}First${suffix}`] = first.took
    figures[`${name}FirstTurn${suffix}`] = first.longestTurn
    figures[`${name}Again${suffix}`] = again.took
    figures[`${name}AgainTurn${suffix}`] = again.longestTurn
  }
  client.close()
  return figures
}

/** An agent of which no job needs anything. */
const nothing = defineAgent('nothing', { do: () => 1 })

function startRoles(cosmos: InProcessCosmos) {
  return startHost({ embedded: cosmos, agents: [nothing] })
}

/** Creates the containers of a new store, and the leases of all roles. */
export async function prepared(cosmos: InProcessCosmos): Promise<void> {
  const host = await startRoles(cosmos)
  await host.stop()
}

/**
 * Runs all roles without new work, as if they had read all changes before. Returns the processor time until they rest,
 * in s, and then the part of a core that they use, in percent.
 *
 * @param idleMs the time for which they are measured; they have twice as long to come to rest
 */
export async function idle(
  cosmos: InProcessCosmos,
  idleMs: number,
): Promise<{ readonly begin: number; readonly rest: number }> {
  await skipChanges(cosmos)
  const start = processorMs()
  const host = await startRoles(cosmos)
  await systemClock.sleep(2 * idleMs)
  const before = processorMs()
  await systemClock.sleep(idleMs)
  const used = processorMs() - before
  await host.stop()
  return { begin: (before - start) / 1_000, rest: (used / idleMs) * 100 }
}

async function skipChanges(cosmos: InProcessCosmos): Promise<void> {
  const client = cosmos.client()
  const database = client.database('stepward')
  const containers = {
    monitoredContainer: database.container('state'),
    leaseContainer: database.container('leases'),
  }
  for (const role of ['scheduler', 'agents', 'supervisor', 'notifier'])
    await resetProcessor({ ...containers, processorName: `stepward-${role}`, to: 'now' })
  client.dispose()
}

import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { itemsAgent } from '../../../../src/sas/items/items-agent.js'
import { noPayloads } from '../../../../src/sas/payloads/payloads.js'
import type { AskAgents } from '../../../../src/sas/supervisor/look.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { StateWorld } from '../../../support/state-world.js'

const clerk = defineAgent('clerk', { settle: ({ of }: { readonly of: string }) => of })
const settling = defineWorkflow<{ readonly name: string }>(
  'settling',
  (job) => void job.step('settle', clerk.settle, { of: job.input.name }, { undo: 'none' }),
)
const nightly = defineWorkflow<{ readonly items: readonly { readonly name: string }[] }>('nightly', (job) => {
  job.forEach('each', job.input.items, settling, { completeWithin: '10s', retry: { tries: 1 } })
})

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  const { store, queries, clock, telemetry } = world
  client = new JobClient({ store, queries, clock, telemetry })
})

async function manyLists(lists: number) {
  for (let index = 0; index < lists; index += 1)
    await client.submit(nightly, { items: [{ name: 'a' }] }, { jobId: `night-${index}` })
  await world.scheduler('scheduler-1').onChanges(await world.changes())
  const page = (await world.changes()).filter(({ type }) => type === 'sas.step')
  const { store, clock, telemetry } = world
  const items = () => itemsAgent({ store, clock, telemetry, payloads: noPayloads })
  const agents = world.agents({ agents: [clerk, items()] })
  const others = world.agents({ agents: [clerk, items()], instanceName: 'agents-2' })
  return { agents, others, page }
}

const steps = (lists: number) =>
  Promise.all(Array.from({ length: lists }, (_, index) => world.step('each', `night-${index}`)))
const started = () => world.telemetry.of('step.started').length

describe('rounds that wait in memory', () => {
  it.each(['stays', 'moves to another instance', 'moves and comes back'])(
    'count no failure while they wait, if the lease %s (I44)',
    async (how) => {
      const lists = 130
      const { agents, others, page } = await manyLists(lists)
      const lease = new AbortController()
      await agents.onChanges(page, { signal: lease.signal, wasHeldAt: () => true, leaseToken: '0' })
      await world.clock.advance(100)
      let owner = agents
      if (how !== 'stays') {
        // The lease is released, for example because an instance was added. The page was handled.
        lease.abort()
        agents.leaveRange('0')
        if (how === 'moves to another instance') owner = others
      }
      // The supervisor asks the owner of the range.
      const askAgents: AskAgents = () =>
        Promise.resolve({
          positions: [{ ...owner.waiting.position('0'), isAway: false }],
          hasBegun: (step) => owner.hasBegun(step),
          start: () => false,
        })
      const supervisor = world.supervisor({ askAgents })
      supervisor.start()
      supervisor.onChanges(page, '0')
      for (let second = 0; second < 14; second += 1) {
        owner.waiting.drained('0', 0)
        await world.clock.advance(1_000)
      }
      const failures = (await steps(lists)).map(({ failureCount }) => failureCount)
      const errors = (await steps(lists)).map(({ processState }) => processState)
      await supervisor.stop()
      const stopped = agents.stop(0)
      await world.clock.advance(5_000)
      await stopped
      expect({
        failures: failures.reduce((sum, count) => sum + count, 0),
        errors: errors.filter((state) => state === 'Error').length,
      }).toEqual({ failures: 0, errors: 0 })
    },
  )

  it('are offered again at a stop of a host, which releases its leases first', async () => {
    const lists = 40
    const { agents, page } = await manyLists(lists)
    const lease = new AbortController()
    await agents.onChanges(page, { signal: lease.signal, wasHeldAt: () => true, leaseToken: '0' })
    await world.clock.advance(100)
    lease.abort()
    agents.leaveRange('0')
    const stopped = agents.stop(0)
    await world.clock.advance(5_000)
    await stopped
    const offered = (await steps(lists)).filter(({ lockedBy }) => lockedBy === null)
    expect(offered).toHaveLength(lists)
  })

  it('do not begin in a host that has released its leases to stop', async () => {
    const lists = 100
    const { agents, page } = await manyLists(lists)
    const lease = new AbortController()
    await agents.onChanges(page, { signal: lease.signal, wasHeldAt: () => true, leaseToken: '0' })
    await world.clock.advance(100)
    const before = started()
    lease.abort()
    agents.leaveRange('0')
    const stopped = agents.stop(20_000)
    await world.clock.advance(25_000)
    await stopped
    expect({ before, after: started() }).toEqual({ before, after: before })
  })
})

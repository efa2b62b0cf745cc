import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import type { Agents } from '../../../../src/sas/agents/agents.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { itemsAgent, withItems } from '../../../../src/sas/items/items-agent.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { noPayloads } from '../../../../src/sas/payloads/payloads.js'
import type { AskAgents } from '../../../../src/sas/supervisor/look.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { StateWorld } from '../../../support/state-world.js'

interface Item {
  readonly name: string
}

const clerk = defineAgent('clerk', {
  settle: ({ of }: { readonly of: string }, context) =>
    of === 'bad' ? context.failPermanently('no such customer') : of,
  refuse: (_input: object, context) => context.failPermanently('no account ZQX-1'),
})
const settling = defineWorkflow<Item>(
  'settling',
  (job) => void job.step('settle', clerk.settle, { of: job.input.name }, { undo: 'none' }),
  { priority: 3, retainFor: '1h', input: { type: 'object', required: ['name'] } },
)
const nightly = defineWorkflow<{ readonly items: readonly Item[] }>('nightly', (job) => {
  const each = job.forEach('each', job.input.items, settling, { atOnce: 3, atMost: 50 })
  return { failed: each.output.failed, of: each.output.of }
})

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  const { store, queries, clock, telemetry } = world
  client = new JobClient({ store, queries, clock, telemetry })
})

const named = (...names: readonly string[]): readonly Item[] => names.map((name) => ({ name }))
const context = { signal: new AbortController().signal, wasHeldAt: () => true }

const many = (count: number): readonly Item[] =>
  Array.from({ length: count }, (_, index) => ({ name: `item ${index}` }))

/** Lets all roles react, second by second, until the job has ended or the time is over. */
async function run(seconds = 120): Promise<void> {
  const { store, clock, telemetry } = world
  const scheduler = world.scheduler('scheduler-1')
  const items = itemsAgent({ store, clock, telemetry, payloads: noPayloads })
  const agents = world.agents({ agents: [clerk, items] })
  const supervisor = world.supervisor()
  for (let second = 0; second < seconds; second += 1) {
    const page = await world.changes()
    await scheduler.onChanges(page)
    await agents.onChanges(page, context)
    await world.clock.advance(500)
    if (second % 30 === 29) await supervisor.runOnce()
    if ((await world.job('night')).endedAtMs !== null) break
  }
  const stopped = agents.stop(0)
  await clock.advance(1)
  await stopped
}

async function outputOf(): Promise<unknown> {
  return (await world.step('each', 'night')).output
}

describe('a list whose items are jobs', () => {
  it('has a job for each item, with the terms of its workflow, and the counts as its result', async () => {
    await client.submit(nightly, { items: named('a', 'b', 'c', 'd', 'e') }, { jobId: 'night' })
    await run()
    expect(await (await client.get('night'))?.result()).toEqual({ failed: 0, of: 5 })
    expect(await outputOf()).toEqual({
      of: 5,
      next: 5,
      underWay: [],
      done: 5,
      failed: 0,
      failures: [],
      isOver: true,
    })
    const items = await client.list({ tags: { parent: 'night' } })
    expect(items.map(({ jobId }) => jobId).sort()).toEqual(
      [0, 1, 2, 3, 4].map((index) => `night/each/${index}`),
    )
    const item = await world.job('night/each/3')
    expect(item).toMatchObject({ pk: 'night/each/3', input: { name: 'd' }, priority: 3 })
    expect(item.retainForMs).toBe(86_400_000)
  })

  it('keeps no secret of an item in its failures', async () => {
    const paying = defineWorkflow<Item>(
      'paying',
      (job) => {
        const found = job.step('find', clerk.settle, { of: job.input.name }, { undo: 'none' })
        job.step('settle', clerk.refuse, {}, { undo: 'none', after: [found] })
      },
      { secrets: ['steps.find.output'] },
    )
    const list = defineWorkflow<{ readonly items: readonly Item[] }>('nightly', (job) => {
      job.forEach('each', job.input.items, paying)
    })
    await client.submit(list, { items: named('ZQX-1') }, { jobId: 'night' })
    await run()
    expect(await outputOf()).toMatchObject({
      failures: [{ index: 0, message: 'Error: step settle: no account •••• secret' }],
    })
  })

  it('has at most atOnce items under way', async () => {
    let most = 0
    const submitted = new Set<string>()
    await client.submit(nightly, { items: many(12) }, { jobId: 'night' })
    const { store } = world
    const apply = store.apply.bind(store)
    store.apply = async (partition, writes) => {
      const result = await apply(partition, writes)
      const job = writes.find(({ document }) => document['type'] === 'sas.job')?.document
      if (partition !== 'night' && job !== undefined) {
        if (job['endedAtMs'] === null) submitted.add(partition)
        else submitted.delete(partition)
        most = Math.max(most, submitted.size)
      }
      return result
    }
    await run()
    expect(await outputOf()).toMatchObject({ done: 12 })
    expect(most).toBe(3)
  })

  it('collects failures: of the work, of the input, and of an id that belongs to another job', async () => {
    await client.submit(settling, { name: 'other' }, { jobId: 'night/each/2' })
    const items = [...named('a', 'bad', 'c'), 7 as never]
    await client.submit(nightly, { items }, { jobId: 'night' })
    await run()
    expect(await outputOf()).toMatchObject({
      of: 4,
      done: 1,
      failed: 3,
      failures: expect.arrayContaining([
        {
          index: 1,
          jobId: 'night/each/1',
          message: expect.stringMatching(/^Error: step settle: .*no such customer/u) as string,
        },
        {
          index: 2,
          jobId: 'night/each/2',
          message: expect.stringContaining('already exists with another payload') as string,
        },
        { index: 3, jobId: 'night/each/3', message: expect.stringContaining('input') as string },
      ]) as unknown,
    })
    expect(await world.job('night')).toMatchObject({ processState: 'Processed' })
  })

  it('does not repeat an item whose job is gone, and counts it as failed (F-Y10)', async () => {
    await client.submit(nightly, { items: named('a', 'b') }, { jobId: 'night' })
    const read = world.store.read.bind(world.store)
    world.store.read = (address) => (address.pk === 'night/each/1' ? Promise.resolve(null) : read(address))
    await run()
    expect(await outputOf()).toMatchObject({
      done: 1,
      failed: 1,
      failures: [{ index: 1, message: 'its job does not exist any more' }],
    })
  })

  it('keeps what it has counted while the store is away, and goes on (F-Y11)', async () => {
    await client.submit(nightly, { items: many(6) }, { jobId: 'night' })
    const read = world.store.read.bind(world.store)
    let reads = 0
    world.store.read = (address) => {
      reads += address.pk.startsWith('night/each') ? 1 : 0
      return reads > 4 && reads < 8 && address.pk.startsWith('night/each')
        ? Promise.reject(new StoreUnavailable('away', { cause: null }))
        : read(address)
    }
    await run(400)
    expect(reads).toBeGreaterThan(8)
    expect(await outputOf()).toMatchObject({ of: 6, done: 6, failed: 0 })
  })

  it('refuses a value that is no list, and a list that is too long', async () => {
    await client.submit(nightly, { items: many(51) }, { jobId: 'night' })
    await run(10)
    expect((await world.step('each', 'night')).attention?.message).toBe(
      'the list of the step has 51 items; at most 50 are allowed, so define a larger atMost, or shorten the list',
    )
  })

  it('shows how far it is in one line', async () => {
    await client.submit(nightly, { items: many(10) }, { jobId: 'night' })
    await run(6)
    const view = await (await client.get('night'))?.view()
    expect(view?.steps).toHaveLength(1)
    expect(view?.steps[0]?.progress).toMatchObject({ of: 10, note: '0 failed' })
  })

  it('reserves the name of its agent', () => {
    const { store, clock, telemetry } = world
    const own = defineAgent('stepward', { settle: () => null })
    expect(() => withItems([own], { store, clock, telemetry, payloads: noPayloads })).toThrow(
      'the agent name "stepward" is reserved: choose another name',
    )
  })
})

describe('more lists than rounds at once', () => {
  const lists = 40

  /** Submits lists of two items each, and lets the scheduler dispatch the steps of the lists. */
  async function manyLists() {
    for (let index = 0; index < lists; index += 1)
      await client.submit(nightly, { items: named('a', 'b') }, { jobId: `night-${index}` })
    const { store, clock, telemetry } = world
    const scheduler = world.scheduler('scheduler-1')
    await scheduler.onChanges(await world.changes())
    const othersWait = (): boolean => agents.hasWaitingRounds
    const items = itemsAgent({ store, clock, telemetry, payloads: noPayloads, othersWait })
    const agents: Agents = world.agents({ agents: [clerk, items], slots: 1 })
    return { scheduler, agents, page: await world.changes() }
  }

  it('do not hold up the feed, which brings the steps of the items', async () => {
    const { scheduler, agents, page } = await manyLists()
    const { clock } = world
    // The delivery must end although eight lists have no slot.
    await agents.onChanges(page, context)
    for (let second = 0; second < 30; second += 1) {
      const changes = await world.changes()
      await scheduler.onChanges(changes)
      const delivered = agents.onChanges(changes, context)
      await clock.advance(1_000)
      await delivered
      await clock.advance(1)
    }
    const jobs = await client.list({ workflow: 'nightly', limit: 100 })
    expect(jobs.map(({ state }) => state)).toEqual(Array.from({ length: lists }, () => 'Processed'))
    const stopped = agents.stop(0)
    await clock.advance(1)
    await stopped
  })

  it('take turns, although no item ends', async () => {
    const { agents, page } = await manyLists()
    const begun = () => new Set(world.telemetry.of('step.started').map(({ jobId }) => jobId)).size
    await agents.onChanges(page, context)
    await world.clock.advance(4_000)
    expect(begun()).toBe(32)
    await world.clock.advance(2_000)
    expect(begun()).toBe(lists)
    const stopped = agents.stop(0)
    await world.clock.advance(5_000)
    await stopped
  })
})

/** A list whose rounds may fail only once, after ten seconds. */
const briefNightly = defineWorkflow<{ readonly items: readonly { readonly name: string }[] }>(
  'brief-nightly',
  (job) => {
    job.forEach('each', job.input.items, settling, { completeWithin: '10s', retry: { tries: 1 } })
  },
)

async function waitingLists(lists: number) {
  for (let index = 0; index < lists; index += 1)
    await client.submit(briefNightly, { items: named('a') }, { jobId: `night-${index}` })
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
      const { agents, others, page } = await waitingLists(lists)
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
    const { agents, page } = await waitingLists(lists)
    const lease = new AbortController()
    await agents.onChanges(page, { signal: lease.signal, wasHeldAt: () => true, leaseToken: '0' })
    await world.clock.advance(100)
    lease.abort()
    agents.leaveRange('0')
    const stopped = agents.stop(0)
    await world.clock.advance(5_000)
    await stopped
    const given = await steps(lists)
    expect(given.filter(({ lockedBy }) => lockedBy === null)).toHaveLength(lists)
    // Only the handlers of the rounds that had a slot were called.
    expect(given.filter(({ mayRunUntilMs }) => mayRunUntilMs === undefined)).toHaveLength(lists - 32)
    expect(given.every(({ failureCount }) => failureCount === 0)).toBe(true)
  })

  it('do not begin in a host that has released its leases to stop', async () => {
    const lists = 100
    const { agents, page } = await waitingLists(lists)
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

import { beforeEach, describe, expect, it, vi } from 'vitest'
import { defineAgent, type Agent } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { defineWorkflow, type Workflow } from '../../../../src/sas/index.js'
import { begunSchema, doneSchema } from '../../../../src/sas/model/documents.js'
import { begunInJob, plannedSteps } from '../../../../src/sas/model/planned/planned-steps.js'
import { longestInJobMs } from '../../../../src/sas/scheduler/memory/attempts-in-jobs.js'
import { settle } from '../../../../src/sas/decisions/settle.js'
import { aWorkflow, shop } from '../../../support/a-job.js'
import { deferred } from '../../../support/deferred.js'
import { StateWorld } from '../../../support/state-world.js'
import { leaseToken, together } from '../../../support/one-process.js'

const line = aWorkflow({ a: [], b: ['a'], c: ['b'] }, { completeWithin: '30s' })

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

/** A scheduler and agents of one process, which own the same range. */
function aProcess(
  name = 'one',
  {
    agents = [shop],
    ...others
  }: Parameters<typeof together>[2] & { readonly agents?: readonly Agent[] } = {},
) {
  const own = together(world, agents, { name, slots: 2, ...others })
  const { scheduler, agents: instance, inProcessPath } = own
  const holds = { begun: 0, ended: 0 }
  const page = {
    leaseToken,
    signal: new AbortController().signal,
    holdCheckpoint: () => {
      holds.begun += 1
      return () => void (holds.ended += 1)
    },
  }
  return {
    ...own,
    holds,
    /** Loses the range, with both roles. */
    lose: async () => {
      inProcessPath.scheduler.close(leaseToken)
      await scheduler.documentAttempts(leaseToken)
      inProcessPath.agents.close(leaseToken)
      scheduler.onLeaseReleased(leaseToken)
      instance.leaveRange(leaseToken)
    },
    read: async () => scheduler.onChanges(await world.changes(), page),
    readAsAgents: async () => instance.onChanges(await world.changes(), page),
  }
}

/** An agent whose handler ends when `end` resolves. */
function waitingShop() {
  const end = deferred<{ readonly item: string }>()
  const sell = vi.fn<
    (input: { readonly item: string }, context: object) => Promise<{ readonly item: string }>
  >(() => end.promise)
  return { agent: defineAgent('shop', { sell, takeBack: () => null }), sell, end }
}

async function submit(workflow: Workflow<object> | Workflow<unknown> = line, input: object = {}) {
  return client.submit(workflow as Workflow<object>, input, { jobId: 'job-1' })
}

async function documents(): Promise<string[]> {
  return (await world.truth.listSteps('job-1', 'job-1')).map(({ stepId }) => stepId).sort()
}

/** The steps whose attempts only the job has. */
async function inJob(): Promise<string[]> {
  return begunInJob(await world.job()).map(({ stepId }) => stepId)
}

async function states(): Promise<string[] | undefined> {
  return (await (await client.get('job-1'))?.view())?.steps.map(({ stepId, state }) => `${stepId} ${state}`)
}

describe('the first attempt of a step (I46)', () => {
  it('is only in the job while its process makes it, and so is its success (I47)', async () => {
    const { agent, sell, end } = waitingShop()
    const { read } = aProcess('one', { agents: [agent] })
    await submit()
    await read()
    await vi.waitUntil(() => sell.mock.calls.length === 1)
    expect([await documents(), await inJob()]).toEqual([[], ['a']])
    expect((await world.job()).schema).toBe(begunSchema)
    expect(await states()).toEqual(['a Processing', 'b Pending', 'c Pending'])
    end.resolve({ item: 'sold' })
    await vi.waitUntil(async () => (await world.job()).processState === 'Processed')
    expect([await documents(), await inJob()]).toEqual([[], []])
    const job = await world.job()
    expect([job.schema, job.planned?.length]).toEqual([doneSchema, 3])
    expect(plannedSteps(job).get('a')).toMatchObject({
      processState: 'Processed',
      output: { item: 'sold' },
      fence: 1,
    })
    expect(await states()).toEqual(['a Processed', 'b Processed', 'c Processed'])
    expect(sell).toHaveBeenCalledTimes(3)
  })

  it('expires with its job, also if its outcome is the last of the job (I18)', async () => {
    const sell = () => ({ item: 'x'.repeat(3_000) })
    const own = aProcess('one', { agents: [defineAgent('shop', { sell, takeBack: () => null })] })
    await client.submit(line, {}, { jobId: 'job-1', retainFor: '1h' })
    await own.read()
    await vi.waitUntil(async () => (await world.job()).processState === 'Processed')
    const steps = await world.truth.listSteps('job-1', 'job-1')
    const ttls = steps.map(({ stepId, ttl }) => [stepId, ttl])
    expect([(await world.job()).ttl, Object.fromEntries(ttls)]).toEqual([
      3_600,
      { a: 3_600, b: 3_600, c: 3_600 },
    ])
  })

  it('gives the same documents in the end as attempts that have documents', async () => {
    const own = aProcess()
    await submit(aWorkflow({ a: [], b: ['a'] }, { completeWithin: '30s', undo: true }))
    await own.read()
    await vi.waitUntil(async () => (await world.job()).processState === 'Processed')
    const inJobs = [...plannedSteps(await world.job()).values()]
    world = new StateWorld()
    client = new JobClient(world)
    await submit(aWorkflow({ a: [], b: ['a'] }, { completeWithin: '30s', undo: true }))
    await world.run()
    const alone = await Promise.all(['a', 'b'].map((stepId) => world.step(stepId)))
    const ofStore = { _etag: 0, _ts: 0, _rid: 0, _self: 0, _attachments: 0 }
    const compared = (step: object) => ({ ...step, ...ofStore, firstBy: 0, lockedBy: 0, outcome: 0 })
    expect(inJobs.map(compared)).toEqual(alone.map(compared))
  })

  it('gets a document when it takes long, and its handler is called once (F-A33)', async () => {
    const { agent, sell, end } = waitingShop()
    const own = aProcess('one', { agents: [agent] })
    await submit()
    await own.read()
    await vi.waitUntil(() => sell.mock.calls.length === 1)
    await world.clock.advance(longestInJobMs - 1)
    expect(await documents()).toEqual([])
    await world.clock.advance(1)
    await vi.waitUntil(async () => (await documents()).length === 1)
    expect(await inJob()).toEqual([])
    // Times of the step count from the beginning of its attempt.
    const at = new Date(world.clock.now() - longestInJobMs).toISOString()
    expect((await world.step('a')).claim).toMatchObject({ by: 'one', at })
    expect(await world.step('a')).toMatchObject({
      processState: 'Processing',
      fence: 1,
      attempt: 1,
      failureCount: 0,
    })
    await own.readAsAgents()
    end.resolve({ item: 'x' })
    await vi.waitUntil(async () => (await world.job()).processState === 'Processed')
    expect(sell).toHaveBeenCalledTimes(3)
  })

  it('gets a document after half of its time, also if it begins after one with more time (F-A33)', async () => {
    const { agent, sell } = waitingShop()
    const own = aProcess('one', { agents: [agent] })
    const workflow = defineWorkflow<object>('two', (job) => {
      job.step('long', shop.sell, { item: 'x' }, { completeWithin: '30s', undo: 'none' })
      job.step('short', shop.sell, { item: 'x' }, { completeWithin: '3s', undo: 'none' })
    })
    await submit(workflow)
    await own.read()
    await vi.waitUntil(() => sell.mock.calls.length === 2)
    await world.clock.advance(1_499)
    expect(await inJob()).toEqual(['long', 'short'])
    await world.clock.advance(1)
    await vi.waitUntil(async () => (await documents()).length === 1)
    expect([await documents(), await inJob()]).toEqual([['short'], ['long']])
    await world.clock.advance(longestInJobMs - 1_501)
    expect(await inJob()).toEqual(['long'])
    await world.clock.advance(1)
    await vi.waitUntil(async () => (await documents()).length === 2)
  })

  it('has a document from the beginning if the time of its job is nearly over', async () => {
    const { agent, sell } = waitingShop()
    const own = aProcess('one', { agents: [agent] })
    await client.submit(line as Workflow<object>, {}, { jobId: 'job-1', completeWithin: '3s' })
    await own.read()
    await vi.waitUntil(() => sell.mock.calls.length === 1)
    expect(await inJob()).toEqual(['a'])
    await client.submit(line as Workflow<object>, {}, { jobId: 'job-2', completeWithin: '1500ms' })
    await own.read()
    await vi.waitUntil(() => sell.mock.calls.length === 2)
    expect((await world.truth.listSteps('job-2', 'job-2')).map(({ stepId }) => stepId)).toEqual(['a'])
  })

  it('gets a document when another process owns the range, which leaves it to its process (F-A32)', async () => {
    const maker = waitingShop()
    const first = aProcess('first', { agents: [maker.agent] })
    await submit()
    await first.scheduler.onChanges(await world.changes(), { leaseToken })
    await vi.waitUntil(() => maker.sell.mock.calls.length === 1)
    expect(await inJob()).toEqual(['a'])
    await first.lose()
    const later = vi.fn((input: { readonly item: string }) => input)
    const next = aProcess('next', { agents: [defineAgent('shop', { sell: later, takeBack: () => null })] })
    await next.read()
    expect([await documents(), await inJob()]).toEqual([['a'], []])
    expect(await world.step('a')).toMatchObject({
      fence: 1,
      claim: { fence: 1, by: 'first' },
      mayHaveActed: false,
    })
    await next.readAsAgents()
    maker.end.resolve({ item: 'x' })
    await vi.waitUntil(async () => (await world.step('a')).outcome !== null)
    await next.read()
    await vi.waitUntil(async () => (await world.job()).processState === 'Processed')
    expect(later.mock.calls.map(([{ item }]) => item)).toEqual(['b', 'c'])
  })

  it('is made by the next process if its own has certainly ended (F-A32)', async () => {
    const dead = waitingShop()
    const first = aProcess('first', {
      agents: [dead.agent],
      processes: { own: 'p1', hasEnded: () => false, isNeighbour: () => false },
    })
    await submit()
    await first.scheduler.onChanges(await world.changes(), { leaseToken })
    await vi.waitUntil(() => dead.sell.mock.calls.length === 1)
    const next = aProcess('next', {
      processes: { own: 'p2', hasEnded: (id) => id === 'p1', isNeighbour: () => false },
    })
    await next.read()
    await vi.waitUntil(async () => (await world.job()).processState === 'Processed')
    // The first call may have had an effect, too.
    expect(await world.step('a')).toMatchObject({ fence: 1, mayHaveActed: true, failureCount: 0 })
    dead.end.resolve({ item: 'late' })
    await vi.waitUntil(() => world.telemetry.of('outcome.discarded').length === 1)
    expect((await world.step('a')).output).toEqual({ item: 'a' })
  })

  it('does not begin again in the next process if its job was cancelled meanwhile', async () => {
    const [dead, next] = [waitingShop(), waitingShop()]
    const first = aProcess('first', {
      agents: [dead.agent],
      processes: { own: 'p1', hasEnded: () => false, isNeighbour: () => false },
    })
    await submit(aWorkflow({ a: [] }, { completeWithin: '30s', undo: true }))
    await first.scheduler.onChanges(await world.changes(), { leaseToken })
    await vi.waitUntil(() => dead.sell.mock.calls.length === 1)
    await client.cancel('job-1', 'not wanted any more')
    expect(await inJob()).toEqual(['a'])
    const own = aProcess('next', {
      agents: [next.agent],
      processes: { own: 'p2', hasEnded: (id) => id === 'p1', isNeighbour: () => false },
    })
    await own.read()
    await vi.waitUntil(async () => (await world.step('a')).direction === 'undo')
    expect(next.sell).not.toHaveBeenCalled()
  })

  it('keeps its outcome if its process has lost the range meanwhile (F-A32)', async () => {
    const { agent, sell, end } = waitingShop()
    const first = aProcess('first', { agents: [agent] })
    await submit()
    await first.read()
    await vi.waitUntil(() => sell.mock.calls.length === 1)
    await first.lose()
    expect([await documents(), await inJob()]).toEqual([['a'], []])
    await world.scheduler('next').onChanges(await world.changes())
    expect([await documents(), await inJob()]).toEqual([['a'], []])
    end.resolve({ item: 'x' })
    await vi.waitUntil(async () => (await world.step('a')).outcome !== null)
    expect(await world.step('a')).toMatchObject({ processState: 'Processed', output: { item: 'x' } })
  })

  it('keeps the checkpoint before its job until it has its outcome, or a document', async () => {
    const { agent, sell, end } = waitingShop()
    const own = aProcess('one', { agents: [agent] })
    await submit()
    await own.read()
    await vi.waitUntil(() => sell.mock.calls.length === 1)
    expect(own.holds).toEqual({ begun: 0, ended: 0 })
    await own.read()
    expect(own.holds).toEqual({ begun: 1, ended: 0 })
    end.resolve({ item: 'x' })
    await vi.waitUntil(async () => (await world.job()).processState === 'Processed')
    expect(own.holds).toEqual({ begun: 1, ended: 1 })
  })

  it('gets its claim before the lease goes, also if its start follows the outcome before it', async () => {
    const { agent, sell, end } = waitingShop()
    const own = aProcess('one', { agents: [agent] })
    await submit()
    await own.read()
    await vi.waitUntil(() => sell.mock.calls.length === 1)
    // The outcome of a is written with the attempt of b, which its agents start a little later.
    const step = await world.step('a')
    const settled = await own.scheduler.settleAndSchedule(
      {
        step: { ...step, _etag: '' },
        decide: (current) => {
          const attempt = { number: 1, fence: 1, by: 'one' }
          const outcome = { kind: 'success' as const, output: { item: 'x' } }
          const settlement = settle(current, attempt, outcome, {
            now: world.clock.now(),
            random: world.random,
          })
          return { write: settlement.kind === 'write' ? settlement.step : null, result: null }
        },
      },
      leaseToken,
    )
    expect(await inJob()).toEqual(['b'])
    const documented = own.scheduler.documentAttempts(leaseToken)
    await world.clock.advance(100)
    settled?.followUp()
    await documented
    expect([await documents(), await inJob()]).toEqual([['b'], []])
    expect((await world.step('b')).claim).toMatchObject({ fence: 1, by: 'one' })
    end.resolve({ item: 'x' })
  })

  it('does not keep the outcome of another step from the ledger if its own step needs a document', async () => {
    const calls = new Map<string, (value: { readonly item: string }) => void>()
    const sell = ({ item }: { readonly item: string }) =>
      new Promise<{ readonly item: string }>((resolve) => void calls.set(item, resolve))
    const own = aProcess('one', { agents: [defineAgent('shop', { sell, takeBack: () => null })] })
    await submit(aWorkflow({ a: [], b: [] }, { completeWithin: '30s' }))
    await own.read()
    await vi.waitUntil(() => calls.size === 2)
    expect(await inJob()).toEqual(['a', 'b'])
    own.scheduler.inJobs.remove(await world.step('b'))
    calls.get('a')?.({ item: 'x' })
    await vi.waitUntil(async () => (await world.step('a')).outcome !== null)
    expect((await world.job()).steps['a']?.state).toBe('Processed')
  })

  it('is written with the job if it fails, although nothing follows yet', async () => {
    const agent = defineAgent('shop', {
      sell: () => {
        throw new Error('out of stock')
      },
      takeBack: () => null,
    })
    const own = aProcess('one', { agents: [agent] })
    await submit()
    await own.read()
    await vi.waitUntil(async () => (await documents()).length === 1)
    expect(await inJob()).toEqual([])
    expect(await world.step('a')).toMatchObject({ outcome: { kind: 'failed', attempt: 1 } })
  })

  it('gets a document when its handler reports progress', async () => {
    const [late, end] = [deferred(), deferred()]
    const sell = vi.fn(
      async (input: { readonly item: string }, context: { progress(report: object): Promise<void> }) => {
        await late.promise
        await context.progress({ done: 1, of: 2 })
        await end.promise
        return input
      },
    )
    const own = aProcess('one', { agents: [defineAgent('shop', { sell, takeBack: () => null })] })
    await submit(aWorkflow({ a: [] }, { completeWithin: '30s' }))
    await own.read()
    await vi.waitUntil(() => sell.mock.calls.length === 1)
    await world.clock.advance(longestInJobMs - 1)
    expect(await documents()).toEqual([])
    late.resolve()
    await vi.waitUntil(async () => (await documents()).length === 1)
    expect([await documents(), await inJob()]).toEqual([['a'], []])
    expect((await world.step('a')).progress).toMatchObject({ done: 1 })
    end.resolve()
    await vi.waitUntil(async () => (await world.job()).processState === 'Processed')
  })

  it('is given back when its host stops, without a failure', async () => {
    const { agent, sell } = waitingShop()
    const own = aProcess('one', { agents: [agent] })
    await submit()
    await own.read()
    await vi.waitUntil(() => sell.mock.calls.length === 1)
    const stopped = own.agents.stop(0)
    await world.clock.advance(4_000)
    await stopped
    expect([await documents(), await inJob()]).toEqual([['a'], []])
    expect(await world.step('a')).toMatchObject({ fence: 2, lockedBy: null, failureCount: 0, outcome: null })
    expect(world.telemetry.of('step.returned')).toHaveLength(1)
  })

  it('ends with a cancelled job, whose undo waits until the attempt is over', async () => {
    const { agent, sell } = waitingShop()
    const own = aProcess('one', { agents: [agent] })
    await submit(aWorkflow({ a: [], b: ['a'] }, { completeWithin: '30s', undo: true }))
    await own.read()
    await vi.waitUntil(() => sell.mock.calls.length === 1)
    await client.cancel('job-1', 'not wanted any more')
    await own.read()
    expect([await documents(), await inJob()]).toEqual([['a'], []])
    expect(await world.step('a')).toMatchObject({ direction: 'undo', mayHaveActed: true })
  })

  it('has a document from the beginning if no slot is free for it (F-A33)', async () => {
    const { agent, sell } = waitingShop()
    const own = aProcess('one', { agents: [agent], slots: 1 })
    await submit(aWorkflow({ a: [], b: [], c: [] }, { completeWithin: '30s' }))
    await own.read()
    await vi.waitUntil(() => sell.mock.calls.length === 1)
    expect([await documents(), await inJob()]).toEqual([['b', 'c'], ['a']])
    expect(own.woken).toHaveLength(1)
  })

  it('gets a document at once if it cannot start in spite of a promise (F-A33)', async () => {
    const own = aProcess('one')
    vi.spyOn(own.agents, 'startNow').mockReturnValue(false)
    await submit()
    await own.read()
    await vi.waitUntil(async () => (await documents()).length === 1)
    expect(await inJob()).toEqual([])
    expect(own.woken.length).toBeGreaterThan(0)
  })

  it.each([
    ['needs a claim', { claim: true }, {}],
    ['has a limit', { limits: [{ key: 'bank', atOnce: 3 }] }, {}],
    ['has little time', { completeWithin: '1999ms' }, {}],
    ['has a large input', {}, { item: 'x'.repeat(3_000) }],
  ] as const)(
    'has a document from the beginning if it %s',
    async (_what, options, { item = 'x' }: { item?: string }) => {
      const { agent, sell } = waitingShop()
      const own = aProcess('one', { agents: [agent] })
      const workflow = defineWorkflow<object>('one', (job) => {
        job.step('a', shop.sell, { item }, { completeWithin: '30s', undo: 'none', ...options })
      })
      await submit(workflow)
      await own.read()
      await vi.waitUntil(() => sell.mock.calls.length === 1)
      expect([await documents(), await inJob()]).toEqual([['a'], []])
    },
  )
})

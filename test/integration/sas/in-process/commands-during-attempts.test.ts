import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent, type AgentContext } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { stepDocumentId } from '../../../../src/sas/model/document-ids.js'
import { begunInJob } from '../../../../src/sas/model/planned/planned-steps.js'
import { aWorkflow } from '../../../support/a-job.js'
import { deferred } from '../../../support/deferred.js'
import { StateWorld } from '../../../support/state-world.js'
import { going, holding, together } from '../../../support/one-process.js'

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

function slow() {
  const calls: { item: string; end: ReturnType<typeof deferred<string>>; context: AgentContext }[] = []
  const undone: string[] = []
  const shop = defineAgent('shop', {
    sell: ({ item }: { readonly item: string }, context: AgentContext) => {
      const end = deferred<string>()
      calls.push({ item, end, context })
      return end.promise
    },
    takeBack: ({ item }: { readonly item: string }) => {
      undone.push(item)
      return null
    },
  })
  return { shop, calls, undone }
}

async function consistent(): Promise<void> {
  const job = await world.job()
  for (const stepId of job.stepIds) {
    const document = await world.truth.read({ pk: 'job-1', id: stepDocumentId('job-1', stepId) })
    const isPlanned = job.planned?.some(({ id }) => id === stepId) ?? false
    expect([stepId, document !== null, isPlanned]).toEqual([stepId, document !== null, document === null])
  }
}

function scene(shape: Record<string, string[]>, options: object = {}, submit: object = {}, slots = 4) {
  const tools = slow()
  const both = together(world, [tools.shop], { name: 'one', slots: slots })
  const { state, context } = holding()
  const drain = async (): Promise<void> => {
    for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
      await both.scheduler.onChanges(page, context)
      await both.agents.onChanges(page, going)
      await consistent()
    }
  }
  const begin = async (begun: number): Promise<void> => {
    await client.submit(
      aWorkflow(shape, { completeWithin: '1m', ...options }),
      {},
      { jobId: 'job-1', ...submit },
    )
    await drain()
    expect(begunInJob(await world.job())).toHaveLength(begun)
    await consistent()
  }
  const finish = async (): Promise<void> => {
    for (let at = 0; at < 12; at += 1) {
      for (const call of tools.calls) call.end.resolve('x')
      await world.clock.advance(1_500)
      await drain()
      await world.supervisor().runOnce()
      await drain()
    }
    await world.clock.advance(20_000)
    await drain()
    expect([state.held, world.clock.pendingTimers]).toEqual([0, 0])
  }
  return { ...tools, ...both, state, drain, begin, finish }
}

describe('a job with an attempt that only it has', () => {
  it('may be paused and resumed', async () => {
    const s = scene({ a: [], b: ['a'] })
    await s.begin(1)
    await client.pause('job-1', 'so')
    await s.drain()
    s.calls[0]?.end.resolve('x')
    await world.clock.advance(10)
    await s.drain()
    expect(s.calls).toHaveLength(1)
    await client.resume('job-1')
    await s.drain()
    await s.finish()
    expect([(await world.job()).processState, s.calls.length]).toEqual(['Processed', 2])
  })
  it('may be cancelled, and then undoes its attempts', async () => {
    const s = scene({ a: [], b: [], c: ['a', 'b'] }, { undo: true })
    await s.begin(2)
    s.calls[0]?.end.resolve('x')
    await world.clock.advance(10)
    expect(begunInJob(await world.job())).toHaveLength(1)
    await client.cancel('job-1', 'not wanted')
    await s.drain()
    await s.finish()
    for (let at = 0; at < 5; at += 1) {
      await world.clock.advance(60_000)
      await world.supervisor().runOnce()
      await s.drain()
    }
    expect([(await world.job()).processState, s.calls.length, [...s.undone].sort()]).toEqual([
      'Compensated',
      2,
      ['a', 'b'],
    ])
  })
  it('begins again after one of its parallel attempts has failed for good', async () => {
    const s = scene(
      { a: [], b: [], c: ['a', 'b'] },
      { undo: true, onExhausted: 'compensateThenRetry', retry: { tries: 1 }, maxGenerations: 2 },
    )
    await s.begin(2)
    s.calls[0]?.end.reject(new Error('no'))
    await world.clock.advance(10)
    await s.drain()
    s.calls[1]?.end.resolve('x')
    await world.clock.advance(10)
    await s.drain()
    for (let at = 0; at < 8; at += 1) {
      for (const call of s.calls) call.end.resolve('x')
      await world.clock.advance(5_000)
      await world.supervisor().runOnce()
      await s.drain()
    }
    await s.finish()
    console.log(
      (await world.job()).processState,
      s.calls.map(({ item }) => item),
      s.undone,
    )
    expect((await world.job()).processState).toBe('Processed')
  })
  it('ends at its time limit', async () => {
    const s = scene({ a: [], b: ['a'] }, { completeWithin: '30s' }, { completeWithin: '12s' })
    await s.begin(1)
    await world.clock.advance(16_000)
    await world.supervisor().runOnce()
    await s.drain()
    expect((await world.job()).processState).toBe('Error')
    s.calls[0]?.end.resolve('x')
    await world.clock.advance(10)
    await s.finish()
    expect((await world.job()).processState).toBe('Error')
  })
  it('is freed by the supervisor if its process dies and its checkpoint is lost (F-A32)', async () => {
    const s = scene({ a: [], b: ['a'] })
    await s.begin(1)
    s.scheduler.onLeaseReleased('0')
    const next = slow()
    const other = together(world, [next.shop], { name: 'two' })
    const drain = async () => {
      for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
        await other.scheduler.onChanges(page, going)
        await other.agents.onChanges(page, going)
      }
    }
    for (let at = 0; at < 20; at += 1) {
      for (const call of next.calls) call.end.resolve('x')
      await world.clock.advance(10_000)
      await world.supervisor().runOnce()
      await drain()
    }
    expect((await world.job()).processState).toBe('Processed')
    expect((await world.step('a')).failureCount).toBe(1)
  })
  it('keeps the outcome if a second scheduler of the range writes the document meanwhile', async () => {
    const s = scene({ a: [], b: ['a'] })
    await s.begin(1)
    const job = await world.truth.read({ pk: 'job-1', id: 'sas.job:job-1' })
    const other = world.scheduler('two')
    world.faults.failWrites({ kind: 'rival', write: async () => other.onChanges([job as never]) })
    s.calls[0]?.end.resolve('x')
    await world.clock.advance(10)
    await s.drain()
    await s.finish()
    expect([(await world.job()).processState, s.calls.length]).toEqual(['Processed', 2])
  })
  it('keeps the outcome if the answers to its writes are lost', async () => {
    for (const truth of ['applied', 'lost'] as const) {
      world = new StateWorld()
      client = new JobClient(world)
      const s = scene({ a: [], b: ['a'] })
      await s.begin(1)
      world.faults.failWrites({ kind: 'unknownOutcome', truth }, { kind: 'unknownOutcome', truth })
      s.calls[0]?.end.resolve('x')
      await world.clock.advance(10)
      await s.drain()
      await s.finish()
      expect([(await world.job()).processState, s.calls.length]).toEqual(['Processed', 2])
      expect((await world.step('a')).failureCount).toBe(0)
    }
  })
  it('leaves no timer in a stopped process if a dispatch was decided when the lease ended', async () => {
    const tools = slow()
    const both = together(world, [tools.shop])
    await client.submit(aWorkflow({ a: [], b: ['a'] }, { completeWithin: '1m' }), {}, { jobId: 'job-1' })
    await both.scheduler.onChanges(await world.changes(), going)
    expect(begunInJob(await world.job())).toHaveLength(1)
    // The outcome is being written while the scheduler loses its lease. The agents still own theirs.
    let open: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const board = both.scheduler as unknown as { options: { board: { current: () => Promise<unknown> } } }
    const current = board.options.board.current.bind(board.options.board)
    board.options.board.current = async () => {
      await gate
      return current()
    }
    tools.calls[0]?.end.resolve('x')
    await world.clock.advance(1)
    both.inProcessPath.scheduler.close('0')
    both.scheduler.onLeaseReleased('0')
    open()
    await world.clock.advance(1)
    expect(tools.calls).toHaveLength(2)
    // From now on the store does not answer any more, as its client is closed.
    Object.assign(world.store, {
      apply: () => Promise.reject(new StoreUnavailable('closed', { cause: null })),
    })
    const stopping = Promise.all([both.scheduler.stop(), both.agents.stop(1_000)])
    await world.clock.advance(30_000)
    await stopping
    tools.calls[1]?.end.resolve('x')
    await world.clock.advance(600_000)
    const { entries } = (both.scheduler as unknown as { inJobs: { entries: Map<string, unknown> } }).inJobs
    expect([world.clock.pendingTimers, [...entries.keys()]]).toEqual([0, []])
  })
})

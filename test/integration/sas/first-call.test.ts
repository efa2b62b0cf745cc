import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent, type Agent, type AgentContext } from '../../../src/sas/agents/agent.js'
import type { StepDocument } from '../../../src/sas/model/documents.js'
import { StoreRefused } from '../../../src/sas/model/errors.js'
import { InProcessPath } from '../../../src/sas/in-process/in-process-path.js'
import type { ShapeOptions, WorkflowShape } from '../../support/a-job.js'
import { deferred } from '../../support/deferred.js'
import { StateWorld } from '../../support/state-world.js'
import { nothingWaits } from '../../support/waiting-agents.js'

const { signal } = new AbortController()
const leaseToken = '0'
/** Deliveries by a lease that was held when the step was dispatched, and by one that was taken over since. */
const first = { signal, leaseToken, wasHeldAt: () => true }
const later = { signal, leaseToken, wasHeldAt: () => false }

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

async function openStep(options: ShapeOptions = {}) {
  await world.dispatched({ pay: [] }, { completeWithin: '30s', undo: true, ...options })
  return world.changes()
}

/** A bank that answers each call with `answer`. */
function bank(answer: (context: AgentContext) => unknown) {
  return defineAgent('shop', {
    sell: (_input: { item: string }, context) => answer(context),
    takeBack: (_input: { item: string }) => null,
  })
}

const refusing = bank((context) => context.failPermanently('no such card'))
const history = ({ mayHaveActed, outcome }: StepDocument) => ({ mayHaveActed, kind: outcome?.kind })

describe('a refusal', () => {
  it('of the first process to call proves at no extra cost that it had no effect (F-A20)', async () => {
    const page = await openStep()
    const agents = world.agents({ agents: [refusing] })
    const before = world.faults.count('apply')
    await agents.onChanges(page, first)
    await agents.stop(0)
    expect(world.faults.count('apply')).toBe(before + 1)
    expect(history(await world.step())).toEqual({ mayHaveActed: false, kind: 'permanent' })
  })

  it.each([
    ['that took the lease over', later],
    ['that knows of no lease', { signal }],
  ])('proves nothing in a process %s, as another one may have called', async (_what, context) => {
    const page = await openStep()
    const agents = world.agents({ agents: [refusing] })
    await agents.onChanges(page, context)
    await agents.stop(0)
    expect(history(await world.step())).toEqual({ mayHaveActed: true, kind: 'permanent' })
  })

  it('proves nothing when another process has called meanwhile without an answer (F-A30)', async () => {
    const page = await openStep()
    const [answer, called] = [deferred<null>(), deferred<null>()]
    const slow = bank(async (context) => {
      called.resolve(null)
      await answer.promise
      context.failPermanently('charged already')
    })
    const paused = world.agents({ agents: [slow], instanceName: 'one' })
    await paused.onChanges(page, first)
    await called.promise
    const never = deferred<null>()
    const acting = deferred<null>()
    const acted = bank(() => {
      acting.resolve(null)
      return never.promise
    })
    await world.agents({ agents: [acted], instanceName: 'two' }).onChanges(page, later)
    await acting.promise
    answer.resolve(null)
    await paused.stop(0)
    expect(history(await world.step())).toEqual({ mayHaveActed: true, kind: 'permanent' })
  })

  it('that is recorded keeps another process with an old page from calling (F-A30)', async () => {
    const page = await openStep()
    const agents = world.agents({ agents: [refusing] })
    await agents.onChanges(page, first)
    await agents.stop(0)
    let calls = 0
    const other = world.agents({ agents: [bank(() => (calls += 1))], instanceName: 'two' })
    await other.onChanges(page, later)
    await other.stop(0)
    expect(calls).toBe(0)
    expect(history(await world.step())).toEqual({ mayHaveActed: false, kind: 'permanent' })
  })
})

describe('a process that gets an attempt after its first call', () => {
  it('does not call if the first process has extended the attempt', async () => {
    const page = await openStep()
    const [late, begun] = [deferred<null>(), deferred<null>()]
    const working = bank(async (context) => {
      await late.promise
      await context.extend()
      begun.resolve(null)
      await deferred<null>().promise
    })
    await world.agents({ agents: [working], instanceName: 'one' }).onChanges(page, first)
    await world.clock.advance(20_000)
    late.resolve(null)
    await begun.promise
    let calls = 0
    const other = world.agents({ agents: [bank(() => (calls += 1))], instanceName: 'two' })
    await other.onChanges(page, later)
    await other.stop(0)
    expect(calls).toBe(0)
  })

  it('writes nothing if the step already says that several processes may be making the attempt', async () => {
    const page = await openStep()
    const never = deferred<null>()
    const dying = world.agents({ agents: [bank(() => never.promise)], instanceName: 'one' })
    await dying.onChanges(page, later)
    const joined = await world.changes()
    const before = world.faults.count('apply')
    const agents = world.agents({ agents: [refusing], instanceName: 'two' })
    await agents.onChanges(joined, later)
    await agents.stop(0)
    expect(world.faults.count('apply')).toBe(before + 1)
  })

  it('does not call again if it made that call and could not record the outcome', async () => {
    const page = await openStep()
    let calls = 0
    const agents = world.agents({ agents: [bank(() => (calls += 1))] })
    world.faults.failWrites({ kind: 'throws', error: new StoreRefused('no permission') })
    await agents.onChanges(page, first)
    await agents.stop(0)
    await agents.onChanges(page, first)
    await agents.stop(0)
    expect(calls).toBe(1)
  })
})

describe('agents that share a process with the scheduler', () => {
  async function together(agent: Agent, shape: WorkflowShape = { pay: [] }) {
    await world.submitted(shape, { undo: true })
    const inProcessPath = new InProcessPath()
    const scheduler = world.scheduler('one', { inProcessPath })
    const agents = world.agents({ agents: [agent], slots: 1, instanceName: 'one', inProcessPath })
    const start = (step: Parameters<typeof agents.startNow>[0]) => agents.startNow(step, leaseToken)
    inProcessPath.agents.open(leaseToken, { start, token: agents.token, ...nothingWaits })
    await scheduler.onChanges(await world.changes(), { leaseToken })
    return agents
  }

  it('are named in the dispatch and count as the first to call', async () => {
    const agents = await together(refusing)
    expect((await world.step()).firstBy).toBe(agents.token)
    await agents.stop(0)
    expect(history(await world.step())).toEqual({ mayHaveActed: false, kind: 'permanent' })
  })

  it('count as the first to call also when the feed delivers a step that found no free slot', async () => {
    const [begun, end] = [deferred<null>(), deferred<null>()]
    const oneByOne = bank(async (context) => {
      begun.resolve(null)
      if (context.stepId === 'a') await end.promise
      context.failPermanently('no such card')
    })
    const agents = await together(oneByOne, { a: [], b: [] })
    await begun.promise
    const before = world.faults.count('apply')
    const offered = agents.onChanges(await world.changes(), later)
    end.resolve(null)
    await offered
    await agents.stop(0)
    expect(world.faults.count('apply')).toBe(before + 2)
    expect(history(await world.step('b'))).toEqual({ mayHaveActed: false, kind: 'permanent' })
  })

  it('are the only first ones: another holder of the lease writes a mark before it calls', async () => {
    const agents = await together(bank(() => deferred<null>().promise))
    const other = world.agents({ agents: [refusing], instanceName: 'two' })
    await other.onChanges(await world.changes(), first)
    await other.stop(0)
    expect(agents.unhealthyReason()).toBeNull()
    expect(history(await world.step())).toEqual({ mayHaveActed: true, kind: 'permanent' })
  })
})

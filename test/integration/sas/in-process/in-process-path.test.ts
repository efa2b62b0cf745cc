import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Change } from '../../../../src/change-feed-processor/index.js'
import { defineAgent, type Agent } from '../../../../src/sas/agents/agent.js'
import type { StepDocument } from '../../../../src/sas/model/documents.js'
import { stepDocumentId } from '../../../../src/sas/model/document-ids.js'
import { withDerivedState } from '../../../../src/sas/model/process-state.js'
import { settle } from '../../../../src/sas/decisions/settle.js'
import { InProcessPath } from '../../../../src/sas/in-process/in-process-path.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { shop, type ShapeOptions, type WorkflowShape } from '../../../support/a-job.js'
import { deferred } from '../../../support/deferred.js'
import { StateWorld } from '../../../support/state-world.js'
import { nothingWaits } from '../../../support/waiting-agents.js'

const leaseToken = '0'
const page = { leaseToken, signal: new AbortController().signal }
const three: WorkflowShape = { a: [], b: ['a'], c: ['b'] }

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

/** A scheduler and agents of one process, both holding the lease. */
function together({
  agents = [shop],
  slots = 2,
}: { readonly agents?: readonly Agent[]; readonly slots?: number } = {}) {
  const inProcessPath = new InProcessPath()
  const left: (string | null)[] = []
  const scheduler = world.scheduler('one', { inProcessPath, onOpenSteps: (range) => left.push(range) })
  const instance = world.agents({ agents, slots, instanceName: 'one', inProcessPath })
  inProcessPath.scheduler.open(leaseToken, {
    isWhole: false,
    beginSubmission: () => null,
    begin: (accepted) => scheduler.begin(accepted, leaseToken),
    settleAndSchedule: (ended) => scheduler.settleAndSchedule(ended, leaseToken),
    foresee: (changes) => scheduler.known.foresee(changes),
    documentAttempts: () => Promise.resolve(),
  })
  inProcessPath.agents.open(leaseToken, {
    start: (step) => instance.startNow(step, leaseToken),
    token: instance.token,
    ...nothingWaits,
  })
  return { inProcessPath, scheduler, agents: instance, left }
}

/** An agent whose handler returns when `end` resolves. */
function waitingShop() {
  const end = deferred<string>()
  const begun: string[] = []
  const agent = defineAgent('shop', {
    sell: (input: { readonly item: string }) => {
      begun.push(input.item)
      return end.promise
    },
    refund: async () => undefined,
  })
  return { agent, begun, end }
}

async function submitted(shape: WorkflowShape = three, options: ShapeOptions = {}) {
  await world.submitted(shape, { completeWithin: '30s', ...options })
  return world.changes()
}

const settledSteps = (): readonly string[] => world.telemetry.of('step.settled').map(({ stepId }) => stepId)

/** Delivers the feed to both, until nothing changes any more. */
async function byTheFeed({ scheduler, agents }: ReturnType<typeof together>): Promise<void> {
  for (let changes = await world.changes(); changes.length > 0; changes = await world.changes()) {
    await scheduler.onChanges(changes, page)
    await agents.onChanges(changes, page)
    await agents.stop(1_000)
  }
}

describe('the in-process path between scheduler and agents (D10)', () => {
  it('takes a job of three steps to its end in four transactions, without the feed', async () => {
    const { scheduler, left } = together()
    await scheduler.onChanges(await submitted(), page)
    await world.telemetry.waitFor('job.finished')
    expect(await world.job()).toMatchObject({ processState: 'Processed' })
    expect(world.faults.writes).toHaveLength(4)
    expect(world.faults.count('read')).toBe(0)
    expect(settledSteps()).toEqual(['a', 'b', 'c'])
    expect(left).toEqual([])
  })

  it('leaves nothing to read or to write when the feed delivers its changes afterwards (F-C26)', async () => {
    const both = together()
    await both.scheduler.onChanges(await submitted(), page)
    await world.telemetry.waitFor('job.finished')
    await byTheFeed(both)
    expect(world.faults.count('read')).toBe(0)
    expect(world.faults.writes).toHaveLength(4)
    expect(world.telemetry.of('step.started')).toHaveLength(3)
  })

  it('reads nothing when pages from before the end of a job arrive after it', async () => {
    const pages: (readonly Change[])[] = []
    const agent = defineAgent('shop', {
      sell: async () => {
        pages.push(await world.changes())
      },
      refund: async () => undefined,
    })
    const both = together({ agents: [agent] })
    await both.scheduler.onChanges(await submitted(), page)
    await world.telemetry.waitFor('job.finished')
    expect(pages).toHaveLength(3)
    for (const changes of pages) await both.scheduler.onChanges(changes, page)
    await byTheFeed(both)
    expect(world.faults.count('read')).toBe(0)
    expect(world.faults.writes).toHaveLength(4)
  })

  it('leaves nothing to read when another scheduler receives the steps of an ended job before the job', async () => {
    const both = together()
    await both.scheduler.onChanges(await submitted(), page)
    await world.telemetry.waitFor('job.finished')
    const steps = (await world.changes()).filter(({ type }) => type === 'sas.step')
    expect(steps).toHaveLength(3)
    await world.scheduler('two').onChanges(steps)
    expect(world.faults.count('read')).toBe(0)
  })

  it('reads nothing for a job that the agents receive before the scheduler', async () => {
    await world.submitted(three, { completeWithin: '30s' })
    const [submission, both] = [await world.changes(), together()]
    // The job was begun for this scheduler elsewhere, so its page has the begun job and all steps.
    await world.scheduler('one').onChanges(submission)
    const begun = await world.changes()
    const isOld = ({ id }: Change): boolean => begun.some((change) => change.id === id)
    const changes = [...begun, ...submission.filter((change) => !isOld(change))]
    await both.agents.onChanges(changes, { ...page, wasHeldAt: () => true })
    await world.telemetry.waitFor('job.finished')
    await both.scheduler.onChanges(changes, page)
    await byTheFeed(both)
    expect(await world.job()).toMatchObject({ processState: 'Processed', fence: 1 })
    expect(world.faults.count('read')).toBe(0)
    expect(world.faults.writes).toHaveLength(4)
  })

  it('takes over a job of another scheduler with the first outcome, without a write of its own', async () => {
    await world.scheduler('dead').onChanges(await submitted())
    const dispatched = await world.changes()
    const writes = world.faults.writes.length
    const both = together()
    await both.agents.onChanges(dispatched, page)
    await both.agents.stop(1_000)
    await byTheFeed(both)
    expect(await world.job()).toMatchObject({ processState: 'Processed', fence: 2 })
    // The mark of the repeated attempt, and one transaction for each of the three outcomes.
    expect(world.faults.writes.length - writes).toBe(4)
    expect(world.telemetry.of('store.conflict')).toEqual([])
  })

  it('starts a step once, although the feed delivers its dispatch as well', async () => {
    const { agent, begun, end } = waitingShop()
    const both = together({ agents: [agent] })
    await both.scheduler.onChanges(await submitted({ pay: [] }), page)
    await both.agents.onChanges(await world.changes(), page)
    end.resolve('sold')
    await world.telemetry.waitFor('job.finished')
    expect(begun).toEqual(['pay'])
  })

  it('records the outcome of a claimed step whose scheduler has not seen the claim', async () => {
    const { scheduler } = together()
    await scheduler.onChanges(await submitted({ pay: [] }, { claim: true }), page)
    await world.telemetry.waitFor('job.finished')
    // The dispatch, the claim, and the outcome together with the end of the job. No write lost a race.
    expect(world.faults.writes).toHaveLength(3)
    expect(world.telemetry.of('store.conflict')).toEqual([])
  })
})

it('a scheduler records no outcome if the deadline passes while it reads further steps (I3)', async () => {
  await world.scheduler('one').onChanges(await submitted({ a: [], b: ['a'] }))
  const step = await world.step('a')
  const restarted = world.scheduler('one')
  const attempt = { number: 1, fence: step.fence, by: 'one' }
  const decide = (current: StepDocument) => {
    const success = { kind: 'success', output: null } as const
    const settled = settle(current, attempt, success, { now: world.clock.now(), random: world.random })
    if (settled.kind === 'write') return { write: settled.step, result: null }
    return { write: null, result: settled.reason }
  }
  const read = vi.spyOn(world.store, 'read').mockImplementation(async (address) => {
    if (address.id === stepDocumentId('job-1', 'b')) await world.clock.advance(1_000)
    return world.truth.read(address)
  })
  // The read takes so little time that the scheduler may still use what it knows of pauses.
  await world.clock.advance(29_000)
  const concluded = await restarted.settleAndSchedule({ step, decide }, leaseToken)
  expect(concluded).toMatchObject({ written: null, discarded: expect.stringContaining('deadline') as string })
  expect(read).toHaveBeenCalledWith({ pk: 'job-1', id: stepDocumentId('job-1', 'b') })
  expect(await world.step('a')).toEqual(step)
})

describe('the feed replaces the in-process path when', () => {
  it.each([
    [
      'the agents do not hold the lease',
      (inProcessPath: InProcessPath) => inProcessPath.agents.close(leaseToken),
    ],
    [
      'the scheduler does not hold the lease',
      (inProcessPath: InProcessPath) => inProcessPath.scheduler.close(leaseToken),
    ],
  ])('%s', async (_, without) => {
    const both = together()
    without(both.inProcessPath)
    await both.scheduler.onChanges(await submitted(), page)
    await byTheFeed(both)
    expect(await world.job()).toMatchObject({ processState: 'Processed' })
    expect(settledSteps()).toEqual(['a', 'b', 'c'])
  })

  it('every slot is taken, and the reader of the agents is notified', async () => {
    const { agent, begun, end } = waitingShop()
    const both = together({ agents: [agent], slots: 1 })
    await both.scheduler.onChanges(await submitted({ a: [], b: [] }), page)
    expect(begun).toEqual(['a'])
    expect(both.left).toHaveLength(1)
    end.resolve('sold')
    await byTheFeed(both)
    expect(await world.job()).toMatchObject({ processState: 'Processed' })
    expect(begun).toEqual(['a', 'b'])
  })

  it('an operator or the supervisor has freed the job', async () => {
    await world.scheduler('other').onChanges(await submitted({ pay: [] }))
    const job = await world.job()
    await world.put('job-1', [replacing(job, withDerivedState({ ...job, lockedBy: null }))])
    const both = together()
    await both.agents.onChanges(await world.changes(), page)
    await both.agents.stop(1_000)
    expect(await world.step()).toMatchObject({ processState: 'Processed' })
    expect(await world.job()).toMatchObject({ processState: 'Pending', lockedBy: null })
  })
})

describe('an outcome on the in-process path', () => {
  it('is not written twice when only the reply is lost; the feed continues the job (F-D4)', async () => {
    const { agent, end } = waitingShop()
    const both = together({ agents: [agent] })
    await both.scheduler.onChanges(await submitted(), page)
    world.faults.failWrites({ kind: 'unknownOutcome', truth: 'applied' })
    end.resolve('sold')
    await world.telemetry.waitFor('step.settled')
    await byTheFeed(both)
    expect(await world.job()).toMatchObject({ processState: 'Processed' })
    expect(settledSteps()).toEqual(['a', 'b', 'c'])
    expect(world.telemetry.of('outcome.discarded')).toEqual([])
  })

  it('is decided again after a concurrent write to the job (I2)', async () => {
    const { agent, end } = waitingShop()
    const { scheduler } = together({ agents: [agent] })
    await scheduler.onChanges(await submitted({ pay: [] }), page)
    const write = async (): Promise<void> => {
      const job = await world.job()
      await world.put('job-1', [replacing(job, { ...job, priority: 7 })])
    }
    world.faults.failWrites({ kind: 'rival', write })
    end.resolve('sold')
    await world.telemetry.waitFor('job.finished')
    expect(await world.job()).toMatchObject({ processState: 'Processed', priority: 7 })
  })

  it('is discarded when the step has gone on to another attempt (I3, F-A7)', async () => {
    const { agent, end } = waitingShop()
    const { scheduler } = together({ agents: [agent] })
    await scheduler.onChanges(await submitted({ pay: [] }), page)
    const step = await world.step()
    await world.put('job-1', [replacing(step, { ...step, fence: step.fence + 1 })])
    end.resolve('sold')
    await world.telemetry.waitFor('outcome.discarded')
    expect((await world.step()).outcome).toBeNull()
    expect(await world.job()).toMatchObject({ processState: 'Processing' })
  })

  it('is discarded after the deadline (R75)', async () => {
    const { agent, end } = waitingShop()
    const { scheduler } = together({ agents: [agent] })
    await scheduler.onChanges(await submitted({ pay: [] }), page)
    await world.clock.advance(30_000)
    end.resolve('sold')
    await world.telemetry.waitFor('outcome.discarded')
    expect(await world.step()).toMatchObject({ outcome: null, claim: { by: 'one' } })
    expect(world.faults.writes).toHaveLength(2)
  })
})

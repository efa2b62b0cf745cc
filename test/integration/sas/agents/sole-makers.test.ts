import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Change } from '../../../../src/change-feed-processor/index.js'
import { defineAgent, type AgentContext } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import type { StateStore } from '../../../../src/sas/store/state-store.js'
import type { AskAgents } from '../../../../src/sas/supervisor/look.js'
import type { ShapeOptions, WorkflowShape } from '../../../support/a-job.js'
import { deferred } from '../../../support/deferred.js'
import { StateWorld } from '../../../support/state-world.js'

const signal = new AbortController().signal
const going = { signal, wasHeldAt: () => true }
const joining = { signal, wasHeldAt: () => false }
const unavailable = { kind: 'throws', error: new StoreUnavailable('busy', { cause: null }) } as const

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

type Handler = (input: { readonly item: string }, context: AgentContext) => unknown
const shopThat = (sell: Handler) => defineAgent('shop', { sell, takeBack: () => null })
const never = () => new Promise<never>(() => undefined)

async function openSteps(shape: WorkflowShape = { pay: [] }, options: ShapeOptions = {}) {
  await world.dispatched(shape, { completeWithin: '30s', retry: { tries: 2 }, ...options })
  return world.changes()
}

const storeThat = (changed: Partial<StateStore>): void => void Object.assign(world.store, changed)

async function cancel(): Promise<void> {
  const { store, queries, clock, telemetry } = world
  await new JobClient({ store, queries, clock, telemetry }).cancel('job-1', 'no longer wanted')
}

function caught(how: (context: AgentContext) => unknown) {
  const found = deferred<AgentContext>()
  const agent = shopThat((_input, context) => {
    found.resolve(context)
    return how(context)
  })
  return { agent, context: found.promise }
}

describe('an undo (F-K2)', () => {
  /** An attempt with a handler that ignores its signal is given back. Returns its deadline. */
  async function givenBack(options: ShapeOptions = {}): Promise<number> {
    let page = await openSteps({ pay: [] }, { undo: true, ...options })
    for (let i = 0; i < 3 && (await world.step()).lockedBy === null; i += 1) {
      await world.scheduler().onChanges(page)
      page = await world.changes()
    }
    const agents = world.agents({ agents: [shopThat(never)] })
    await agents.onChanges(page, going)
    const { completeByMs } = await world.step()
    const stopped = agents.stop(0)
    await world.clock.advance(2_000)
    await stopped
    return completeByMs ?? 0
  }

  it('waits for the deadline of the attempt that was given back, although the next attempt has succeeded', async () => {
    const deadlineMs = await givenBack()
    await world.scheduler().onChanges(await world.changes())
    const next = world.agents({ agents: [shopThat(() => 'sold')], instanceName: 'agents-2' })
    await next.onChanges(await world.changes(), going)
    await world.clock.advance(10)
    expect(await world.step()).toMatchObject({ outcome: { kind: 'success' } })
    await cancel()
    await world.scheduler().onChanges(await world.changes())
    const step = await world.step()
    expect(step.direction).toBe('undo')
    expect(world.clock.now()).toBeLessThan(deadlineMs)
    // The handler of the first attempt may still act.
    expect(step).toMatchObject({ lockedBy: null, notBeforeMs: deadlineMs })
  })

  it('waits for the deadline of the attempt that was given back, although the next attempt has failed', async () => {
    const deadlineMs = await givenBack()
    await world.scheduler().onChanges(await world.changes())
    const fails = shopThat(() => {
      throw new Error('no')
    })
    const next = world.agents({ agents: [fails], instanceName: 'agents-2' })
    await next.onChanges(await world.changes(), going)
    await world.clock.advance(10)
    expect(await world.step()).toMatchObject({ outcome: { kind: 'failed' } })
    await cancel()
    await world.scheduler().onChanges(await world.changes())
    await world.clock.advance(1)
    const step = await world.step()
    expect(step.direction).toBe('undo')
    expect(step).toMatchObject({ lockedBy: null })
    expect(step.notBeforeMs).toBeGreaterThanOrEqual(deadlineMs)
  })

  it('waits for the deadline of the attempt that was given back, although the next attempt waits for its rate', async () => {
    const deadlineMs = await givenBack({ limits: [{ key: 'bank', perSecond: 0.02 }] })
    const scheduler = world.scheduler()
    for (let i = 0; i < 5; i += 1) {
      await scheduler.onChanges(await world.changes())
      await world.clock.advance(100)
    }
    expect(await world.step()).toMatchObject({ lockedBy: null, outcome: null })
    expect((await world.step()).notBeforeMs).toBeGreaterThan(world.clock.now())
    await cancel()
    await scheduler.onChanges(await world.changes())
    await scheduler.onChanges(await world.changes())
    const step = await world.step()
    expect(step.direction).toBe('undo')
    expect(world.clock.now()).toBeLessThan(deadlineMs)
    expect(step).toMatchObject({ lockedBy: null, notBeforeMs: deadlineMs })
  })

  it('does not wait after an attempt whose deadline has passed', async () => {
    const page = await openSteps({ pay: [] }, { undo: true, completeWithin: '1h' })
    const agents = world.agents({ agents: [shopThat(never)] })
    await agents.onChanges(page, going)
    await world.clock.advance(3_600_000)
    expect(await world.step()).toMatchObject({ claim: { by: 'agents-1' } })
    const supervisor = world.supervisor()
    supervisor.start()
    supervisor.onChanges(await world.changes(), '0')
    await world.clock.advance(10_000)
    const recovered = await world.step()
    expect(recovered).toMatchObject({ lockedBy: null, failureCount: 1 })
    await cancel()
    await world.scheduler().onChanges(await world.changes())
    const step = await world.step()
    expect(step.direction).toBe('undo')
    expect((step.notBeforeMs ?? 0) - world.clock.now()).toBeLessThanOrEqual(0)
  })
})

describe('only the sole maker of an attempt gives it back', () => {
  it('also if it took the attempt from a dead process that had joined it', async () => {
    const page = await openSteps()
    const end = deferred<string>()
    const first = world.agents({ agents: [shopThat(() => end.promise)] })
    await first.onChanges(page, going)
    // A second process joins the attempt, asks for more time, and dies.
    let isDead = false
    const processes = (own: string) => ({
      own,
      hasEnded: (name: string) => name === 'second' && isDead,
      isNeighbour: () => true,
    })
    const joined = caught(never)
    const second = world.agents({
      agents: [joined.agent],
      instanceName: 'agents-2',
      processes: processes('second'),
    })
    await second.onChanges(page, joining)
    await (await joined.context).progress({ done: 1 })
    expect(await world.step()).toMatchObject({ claim: { process: 'second' } })
    isDead = true
    const third = world.agents({
      agents: [shopThat(never)],
      instanceName: 'agents-3',
      processes: processes('third'),
    })
    await third.onChanges(await world.changes(), joining)
    await world.clock.advance(1)
    expect(await world.step()).toMatchObject({ claim: { process: 'third' } })
    const stopped = third.stop(0)
    await world.clock.advance(2_000)
    await stopped
    end.resolve('sold')
    await first.stop(0)
    expect(await world.step()).toMatchObject({ processState: 'Processed' })
  })

  it('also if the answer to an extension was lost and the store was then busy', async () => {
    const page = await openSteps()
    const own = caught(({ signal: ending }) => {
      return new Promise((_resolve, reject) => {
        ending.addEventListener('abort', () => reject(ending.reason as Error))
      })
    })
    const first = world.agents({ agents: [own.agent] })
    await first.onChanges(page, going)
    const end = deferred<string>()
    const joined = caught(() => end.promise)
    const second = world.agents({ agents: [joined.agent], instanceName: 'agents-2' })
    await second.onChanges(page, joining)
    await joined.context
    // The extension meets a conflict. Its second write is applied, but the store does not answer any more for a moment.
    const { store } = world
    const [apply, read] = [store.apply.bind(store), store.read.bind(store)]
    let writes = 0
    let isAway = false
    storeThat({
      apply: async (partition, given) => {
        writes += 1
        const result = await apply(partition, given)
        if (writes !== 2) return result
        isAway = true
        return { kind: 'unknownOutcome', cause: new Error('lost') } as never
      },
      read: (address) => {
        if (!isAway) return read(address)
        isAway = false
        return Promise.reject(unavailable.error)
      },
    })
    const progress = (await own.context).progress({ done: 1 })
    await world.clock.advance(3_000)
    await progress.catch(() => undefined)
    expect(await world.step()).toMatchObject({ claim: { by: 'agents-1' } })
    const stopped = first.stop(0)
    await world.clock.advance(2_000)
    await stopped
    end.resolve('sold')
    await second.stop(0)
    expect(await world.step()).toMatchObject({ processState: 'Processed' })
  })

  it('also if a process wrote its mark between the release of its lease and the next acquisition', async () => {
    const page = await openSteps()
    const end = deferred<string>()
    const begun = deferred()
    // This process has the lease, but only since a moment after the dispatch. So it joins the attempt.
    const first = world.agents({
      agents: [
        shopThat(() => {
          begun.resolve()
          return end.promise
        }),
      ],
    })
    world.faults.failWrites(unavailable, unavailable, unavailable, unavailable, unavailable, unavailable)
    await first.onChanges(page, joining)
    // Its host stops, or another instance asks for the lease: the lease is released in this second.
    const releasedAtMs = Math.floor(world.clock.now() / 1_000) * 1_000
    await vi.waitFor(async () => {
      await world.clock.advance(500)
      expect((await world.step()).mayHaveActed).toBe(true)
    })
    await begun.promise
    await world.clock.advance(2_000)
    // What `wasHeldAt` says for an instance that acquires the lease now (see LeaseHolder).
    const acquiredNow = { signal, wasHeldAt: (_ts: number) => _ts * 1_000 > releasedAtMs }
    const second = world.agents({
      agents: [shopThat(never)],
      instanceName: 'agents-2',
    })
    await second.onChanges(await world.changes(), acquiredNow)
    await world.clock.advance(1)
    const stopped = second.stop(0)
    await world.clock.advance(2_000)
    await stopped
    end.resolve('sold')
    await first.stop(0)
    expect(world.telemetry.of('step.returned')).toMatchObject([{ isOffered: false }])
    expect(await world.step()).toMatchObject({ processState: 'Processed' })
  })
})

/** The next owner has read the whole range. It did not get the step, because the checkpoint of the owner that stopped is past it. */
const askAgents: AskAgents = () =>
  Promise.resolve({
    positions: [{ begunUntilMs: world.clock.now() - 3_000, lines: new Map(), isAway: false }],
    hasBegun: () => false,
    start: () => false,
  })

async function deadlinePassed(page: readonly Change[]): Promise<void> {
  const supervisor = world.supervisor({ askAgents })
  supervisor.start()
  supervisor.onChanges(page, '0')
  await world.clock.advance(50_000)
}

describe('a stop while a process enters an attempt, and the store refuses one write', () => {
  it('joining: the step loses no try, because its handler was never called', async () => {
    await world.dispatched({ pay: [] }, { completeWithin: '30s', retry: { tries: 1 } })
    const page = await world.changes()
    let calls = 0
    const agents = world.agents({
      agents: [defineAgent('shop', { sell: () => void (calls += 1), takeBack: () => null })],
    })
    // One write is throttled. All others succeed.
    world.faults.failWrites(unavailable)
    await agents.onChanges(page, joining)
    const stopped = agents.stop(0)
    await world.clock.advance(5_000)
    await stopped
    expect(calls).toBe(0)
    // Another process may be making the attempt, so its outcome must still count.
    const { fence, leftFence, lockedBy } = await world.step()
    expect({ leftFence, isOpen: lockedBy !== null }).toEqual({ leftFence: fence, isOpen: true })
    await deadlinePassed(page)
    const { failureCount, processState } = await world.step()
    expect({ calls, failureCount, processState }).toMatchObject({
      calls: 0,
      failureCount: 0,
      processState: 'Pending',
    })
  })

  it('after a wait for a slot: the step loses no try, because its handler was never called (I44)', async () => {
    await world.dispatched({ a: [], b: [] }, { completeWithin: '30s', retry: { tries: 1 } })
    const page = await world.changes()
    const begun: string[] = []
    const agent = defineAgent('shop', {
      sell: ({ item }: { readonly item: string }) => {
        begun.push(item)
        return item === begun[0]
          ? new Promise((resolve) => world.clock.schedule(6_000, () => resolve('sold')))
          : 'sold'
      },
      takeBack: () => null,
    })
    const agents = world.agents({ agents: [agent], slots: 1 })
    const delivered = agents.onChanges(page, going)
    await world.clock.advance(5_990)
    // The slot becomes free. The write of the outcome succeeds, and then one write is throttled.
    const { store } = world
    const apply = store.apply.bind(store)
    let writes = 0
    Object.assign(store, {
      apply: (partition: string, given: Parameters<typeof apply>[1]) => {
        writes += 1
        return writes === 2 ? Promise.reject(unavailable.error) : apply(partition, given)
      },
    })
    await world.clock.advance(11)
    await delivered
    const stopped = agents.stop(0)
    await world.clock.advance(5_000)
    await stopped
    // The second write was refused. The third one gives the attempt back.
    expect(writes).toBe(3)
    const waited = begun[0] === 'a' ? 'b' : 'a'
    expect(begun).not.toContain(waited)
    await deadlinePassed(page)
    const { failureCount, processState } = await world.step(waited)
    expect({ failureCount, processState }).toMatchObject({ failureCount: 0, processState: 'Pending' })
  })
})

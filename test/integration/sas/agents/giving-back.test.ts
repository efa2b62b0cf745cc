import { beforeEach, describe, expect, it, vi } from 'vitest'
import { defineAgent, type AgentContext } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { giveBack } from '../../../../src/sas/decisions/claim.js'
import { recoverStep } from '../../../../src/sas/decisions/recover-step.js'
import { InProcessPath } from '../../../../src/sas/in-process/in-process-path.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { replacing, type StateStore } from '../../../../src/sas/store/state-store.js'
import { submit } from '../../../../src/sas/submission/submit.js'
import { condition, defineWorkflow, type Reference } from '../../../../src/sas/index.js'
import { aSubmission, type ShapeOptions, type WorkflowShape } from '../../../support/a-job.js'
import { deferred } from '../../../support/deferred.js'
import { nothingWaits } from '../../../support/waiting-agents.js'
import { StateWorld } from '../../../support/state-world.js'

const going = { signal: new AbortController().signal, wasHeldAt: () => true }
const unavailable = { kind: 'throws', error: new StoreUnavailable('busy', { cause: null }) } as const

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

type Handler = (input: { readonly item: string }, context: AgentContext) => unknown

function shopThat(sell: Handler, options: Parameters<typeof defineAgent>[2] = {}) {
  return defineAgent('shop', { sell, takeBack: () => null }, options)
}

/** A handler that rejects as soon as its signal aborts, as `fetch` does. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })

/** Notes whether the work has ended. */
function watched(work: Promise<unknown>): { readonly hasEnded: boolean } {
  const state = { hasEnded: false }
  const note = (): void => void (state.hasEnded = true)
  work.then(note, note)
  return state
}

async function openSteps(shape: WorkflowShape = { pay: [] }, options: ShapeOptions = {}) {
  await world.dispatched(shape, { completeWithin: '30s', retry: { tries: 1 }, ...options })
  return world.changes()
}

/** Replaces an operation of the store for the agents. */
function storeThat(changed: Partial<StateStore>): void {
  Object.assign(world.store, changed)
}

/** The context of the running handler, which ends as `how` says. */
function caught(how: (context: AgentContext) => unknown) {
  const found = deferred<AgentContext>()
  const agent = shopThat((_input, context) => {
    found.resolve(context)
    return how(context)
  })
  return { agent, context: found.promise }
}

/** A `shop` whose handlers end when `end` is resolved. */
function slowShop() {
  const end = deferred<string>()
  const begun: string[] = []
  const agent = shopThat((input) => {
    begun.push(input.item)
    return end.promise
  })
  return { agent, begun, end }
}

describe('a stop (F-A29)', () => {
  it('offers a step again as soon as its handler returns, and does not count what it returned', async () => {
    const page = await openSteps()
    const { agent, end } = slowShop()
    const agents = world.agents({ agents: [agent] })
    await agents.onChanges(page, going)
    const stopped = agents.stop(3_000)
    await world.clock.advance(3_000)
    end.resolve('sold')
    await stopped
    expect(await world.step()).toMatchObject({ lockedBy: null, outcome: null, output: null })
  })

  it.each(['makes it', 'stops as well'])(
    'leaves an attempt that another instance may be making, which %s',
    async (how) => {
      const page = await openSteps()
      const agents = world.agents({ agents: [slowShop().agent] })
      await agents.onChanges(page, going)
      const other = slowShop()
      const others = world.agents({ agents: [other.agent], instanceName: 'agents-2' })
      await others.onChanges(page, { ...going, wasHeldAt: () => false })
      await vi.waitUntil(() => other.begun.length === 1)
      const { fence, completeByMs } = await world.step()
      const stopped = agents.stop(3_000)
      await world.clock.advance(4_000)
      await stopped
      expect(await world.step()).toMatchObject({ fence, completeByMs, leftFence: fence, outcome: null })
      expect(world.telemetry.of('step.returned')).toMatchObject([{ isOffered: false }])
      if (how === 'makes it') other.end.resolve('sold')
      const alsoStopped = others.stop(0)
      await world.clock.advance(4_000)
      await alsoStopped
      if (how === 'makes it') {
        expect(await world.step()).toMatchObject({ processState: 'Processed' })
        return
      }
      // At the deadline, the step is offered again without a failure, although it has a single try.
      const step = await world.step()
      const policy = { now: (completeByMs ?? 0) + 5_000, graceMs: 2_000, supervisor: 's' }
      expect(recoverStep(step, policy)).toMatchObject({
        kind: 'due',
        step: { fence: fence + 1, lockedBy: null, failureCount: 0, mayHaveActed: true },
      })
    },
  )

  it('offers a step again although the store does not answer once', async () => {
    const page = await openSteps()
    const agents = world.agents({ agents: [slowShop().agent] })
    await agents.onChanges(page, going)
    world.faults.failWrites(unavailable)
    const stopped = agents.stop(3_000)
    await world.clock.advance(5_000)
    await stopped
    expect(await world.step()).toMatchObject({ lockedBy: null, outcome: null, failureCount: 0 })
  })

  it('leaves a step to its deadline if the store does not answer', async () => {
    const page = await openSteps()
    const agents = world.agents({ agents: [slowShop().agent] })
    await agents.onChanges(page, going)
    const before = await world.step()
    world.faults.failWrites(...Array.from({ length: 1_000 }, () => unavailable))
    const stopped = agents.stop(3_000)
    await world.clock.advance(6_000)
    await stopped
    expect(await world.step()).toEqual(before)
    expect(world.telemetry.of('outcome.discarded')).toHaveLength(1)
  })

  it('ends in bounded time although an extension under way is refused and its handler ignores the signal', async () => {
    const page = await openSteps()
    const { agent, context } = caught(() => new Promise(() => undefined))
    const agents = world.agents({ agents: [agent] })
    await agents.onChanges(page, going)
    const { progress } = await context
    const hold = deferred()
    const { store } = world
    const read = store.read.bind(store)
    storeThat({ read: (address) => hold.promise.then(() => read(address)) })
    progress({ done: 1 }).catch(() => undefined)
    await world.clock.advance(1)
    // Another process has got the step meanwhile.
    const step = await world.step()
    await world.put('job-1', [replacing(step, { ...step, fence: step.fence + 1 })])
    const stop = watched(agents.stop(0))
    await world.clock.advance(1)
    hold.resolve()
    await world.clock.advance(120_000)
    expect(stop.hasEnded).toBe(true)
  })

  it('does not give back the attempt of another process that has claimed it', async () => {
    const page = await openSteps()
    const begun = deferred<AgentContext>()
    const asking = shopThat((_input, given) => {
      begun.resolve(given)
      return asked.promise.then(() => given.progress({ done: 1 }))
    })
    const asked = deferred()
    const agents = world.agents({ agents: [asking] })
    await agents.onChanges(page, going)
    await begun.promise
    const hold = deferred()
    const { store } = world
    const read = store.read.bind(store)
    storeThat({ read: (address) => hold.promise.then(() => read(address)) })
    asked.resolve()
    await world.clock.advance(1)
    // Another process has joined the attempt and asked for more time, so the attempt is now its own.
    const step = await world.step()
    const claim = {
      by: 'agents-2',
      token: 't',
      fence: step.fence,
      at: new Date(world.clock.now()).toISOString(),
    }
    await world.put('job-1', [replacing(step, { ...step, mayHaveActed: true, claim })])
    const claimed = await world.step()
    const stopped = agents.stop(0)
    await world.clock.advance(1)
    hold.resolve()
    await world.clock.advance(2_000)
    await stopped
    expect(await world.step()).toEqual(claimed)
  })

  it('does not void the attempt of the first process when a process stops that has joined it', async () => {
    const page = await openSteps()
    const end = deferred<string>()
    const first = world.agents({ agents: [shopThat(() => end.promise)] })
    await first.onChanges(page, going)
    const joined = caught(({ signal }) => untilAborted(signal))
    const second = world.agents({ agents: [joined.agent], instanceName: 'agents-2' })
    await second.onChanges(page, { ...going, wasHeldAt: () => false })
    await joined.context
    const stopped = second.stop(0)
    await world.clock.advance(2_000)
    await stopped
    end.resolve('sold')
    await first.stop(0)
    expect(
      world.telemetry.of('outcome.discarded').filter(({ reason }) => reason.includes('given to another')),
    ).toEqual([])
    expect(await world.step()).toMatchObject({ processState: 'Processed' })
  })

  it('does not void the attempt of a process whose mark came before an extension of this process', async () => {
    const page = await openSteps()
    const own = caught(({ signal }) => untilAborted(signal))
    const first = world.agents({ agents: [own.agent] })
    await first.onChanges(page, going)
    const end = deferred<string>()
    const joined = caught(() => end.promise)
    const second = world.agents({ agents: [joined.agent], instanceName: 'agents-2' })
    await second.onChanges(page, { ...going, wasHeldAt: () => false })
    await joined.context
    await (await own.context).progress({ done: 1 })
    const stopped = first.stop(0)
    await world.clock.advance(2_000)
    await stopped
    end.resolve('sold')
    await second.stop(0)
    expect(await world.step()).toMatchObject({ processState: 'Processed' })
  })

  it('offers a step again although a report of progress was being written when the signal aborted', async () => {
    const page = await openSteps()
    const { agent, context } = caught(({ signal }) => untilAborted(signal))
    const agents = world.agents({ agents: [agent] })
    await agents.onChanges(page, going)
    const { progress } = await context
    const hold = deferred()
    let calls = 0
    storeThat({
      apply: async (partition, writes) => {
        calls += 1
        const isFirst = calls === 1
        const result = await world.truth.apply(partition, writes)
        if (isFirst) await hold.promise
        return result
      },
    })
    progress({ done: 1 }).catch(() => undefined)
    await world.clock.advance(1)
    const stopped = agents.stop(0)
    await world.clock.advance(100)
    hold.resolve()
    await world.clock.advance(5_000)
    await stopped
    expect(await world.step()).toMatchObject({ lockedBy: null, failureCount: 0 })
  })

  it('does not end a job with a single try in Error if a report of progress is under way when the signal aborts', async () => {
    const page = await openSteps()
    const { agent, context } = caught(({ signal }) => untilAborted(signal))
    const agents = world.agents({ agents: [agent] })
    await agents.onChanges(page, going)
    const { progress } = await context
    let calls = 0
    storeThat({
      apply: async (partition, writes) => {
        calls += 1
        const isFirst = calls === 1
        const result = await world.truth.apply(partition, writes)
        // The answer needs 30 ms, as usual.
        if (isFirst) await world.clock.sleep(30)
        return result
      },
    })
    const stopped = agents.stop(10)
    await world.clock.advance(9)
    progress({ done: 1 }).catch(() => undefined)
    await world.clock.advance(5_000)
    await stopped
    const step = await world.step()
    const policy = { now: (step.completeByMs ?? 0) + 5_000, graceMs: 2_000, supervisor: 's' }
    expect(recoverStep(step, policy).kind).not.toBe('exhausted')
  })

  it('a stop does not open a circuit, so no attempt of the same stop is refused', async () => {
    const page = await openSteps({ a: [], b: [] }, { claim: true })
    const agent = shopThat((_input, { signal }) => untilAborted(signal), {
      circuitBreaker: { failures: 1, openFor: '30s' },
    })
    const agents = world.agents({ agents: [agent] })
    const hold = deferred()
    const { store } = world
    const apply = store.apply.bind(store)
    storeThat({
      apply: async (partition, writes) => {
        if (writes.some(({ document }) => document['stepId'] === 'b')) await hold.promise
        return apply(partition, writes)
      },
    })
    await agents.onChanges(page, going)
    await world.clock.advance(1)
    const stopped = agents.stop(0)
    await world.clock.advance(10)
    hold.resolve()
    await world.clock.advance(5_000)
    await stopped
    expect(await world.step('a')).toMatchObject({ lockedBy: null, outcome: null, failureCount: 0 })
    expect(await world.step('b')).toMatchObject({ outcome: null, failureCount: 0 })
  })

  it('a circuit does not count attempts that were given back, when the same agents start again', async () => {
    const page = await openSteps()
    let calls = 0
    const agent = shopThat(
      (_input, { signal }) => {
        calls += 1
        return calls === 1 ? untilAborted(signal) : 'sold'
      },
      { circuitBreaker: { failures: 1, openFor: '30s' } },
    )
    const agents = world.agents({ agents: [agent] })
    await agents.onChanges(page, going)
    const stopped = agents.stop(0)
    await world.clock.advance(5_000)
    await stopped
    await world.scheduler().onChanges(await world.changes())
    await agents.onChanges(await world.changes(), going)
    await world.clock.advance(1)
    expect(await world.step()).toMatchObject({ processState: 'Processed', failureCount: 0 })
  })

  it('does not say that a step may have acted whose handler was not called', async () => {
    const page = await openSteps({ pay: [] }, { claim: true, undo: true })
    const begun: string[] = []
    const agents = world.agents({ agents: [shopThat(({ item }) => void begun.push(item))] })
    const hold = deferred()
    const { store } = world
    const apply = store.apply.bind(store)
    storeThat({ apply: (partition, writes) => hold.promise.then(() => apply(partition, writes)) })
    await agents.onChanges(page, going)
    const stopped = agents.stop(0)
    await world.clock.advance(1)
    hold.resolve()
    await world.clock.advance(5_000)
    await stopped
    expect(begun).toEqual([])
    expect(await world.step()).toMatchObject({ lockedBy: null, failureCount: 0 })
    expect(await world.step()).toMatchObject({ mayHaveActed: false })
  })

  it('ends in bounded time although the store never answers', async () => {
    const page = await openSteps()
    const agents = world.agents({ agents: [shopThat((_input, { signal }) => untilAborted(signal))] })
    await agents.onChanges(page, going)
    storeThat({ apply: () => new Promise(() => undefined) })
    const stop = watched(agents.stop(3_000))
    await world.clock.advance(60_000)
    expect(stop.hasEnded).toBe(true)
  })

  it('counts no failure if the store was busy once while an outcome was recorded during the abort', async () => {
    const page = await openSteps()
    const end = deferred<string>()
    const agents = world.agents({ agents: [shopThat(() => end.promise)] })
    await agents.onChanges(page, going)
    const stopped = agents.stop(3_000)
    await world.clock.advance(2_999)
    world.faults.failWrites(unavailable)
    end.resolve('sold')
    await world.clock.advance(5_000)
    await stopped
    const step = await world.step()
    const isRecorded = step.processState === 'Processed'
    expect(isRecorded || step.lockedBy === null).toBe(true)
  })

  it('says that it gave the step back although the answer to that write was lost', async () => {
    const page = await openSteps()
    const agents = world.agents({ agents: [shopThat((_input, { signal }) => untilAborted(signal))] })
    await agents.onChanges(page, going)
    world.faults.failWrites({ kind: 'unknownOutcome', truth: 'applied' })
    const stopped = agents.stop(0)
    await world.clock.advance(5_000)
    await stopped
    expect(await world.step()).toMatchObject({ lockedBy: null })
    expect(world.telemetry.of('outcome.discarded')).toEqual([])
    expect(world.telemetry.of('step.returned')).toHaveLength(1)
  })

  it('an undo waits for the deadline of an attempt that may still run (F-K2)', async () => {
    const page = await openSteps({ pay: [] }, { undo: true })
    // The handler ignores its signal, or its request is still on its way.
    const agents = world.agents({ agents: [shopThat(() => new Promise(() => undefined))] })
    await agents.onChanges(page, going)
    const { completeByMs } = await world.step()
    const stopped = agents.stop(0)
    await world.clock.advance(2_000)
    await stopped
    const { store, queries, clock, telemetry } = world
    await new JobClient({ store, queries, clock, telemetry }).cancel('job-1', 'no longer wanted')
    await world.scheduler().onChanges(await world.changes())
    const step = await world.step()
    expect(step.direction).toBe('undo')
    expect(step).toMatchObject({ lockedBy: null, notBeforeMs: completeByMs })
  })

  it('gives back an attempt with little more than a second left, although the store was busy once', async () => {
    const page = await openSteps()
    const agents = world.agents({ agents: [shopThat(() => new Promise(() => undefined))] })
    await agents.onChanges(page, going)
    const { completeByMs } = await world.step()
    await world.clock.advance((completeByMs ?? 0) - world.clock.now() - 1_020)
    world.faults.failWrites(unavailable)
    const stopped = agents.stop(0)
    await world.clock.advance(5_000)
    await stopped
    expect(await world.step()).toMatchObject({ lockedBy: null })
  })

  it('gives back attempts that began while the stop waited for handlers', async () => {
    const page = await openSteps({ a: [], b: [] })
    const agents = world.agents({
      agents: [shopThat(({ item }, { signal }) => (item === 'a' ? 'sold' : untilAborted(signal)))],
    })
    const a = page.filter(({ stepId }) => stepId === 'a')
    await agents.onChanges(a, going)
    const stop = watched(agents.stop(3_000))
    agents.startNow({ ...(await world.step('b')), firstBy: agents.token }, '0')
    await world.clock.advance(10_000)
    expect(stop.hasEnded).toBe(true)
    expect(await world.step('b')).toMatchObject({ lockedBy: null })
  })
})

describe('a step that was given back', () => {
  /** Delivers the feed to all, until nothing changes. */
  async function settle(
    agents: ReturnType<StateWorld['agents']>,
    scheduler: ReturnType<StateWorld['scheduler']>,
  ) {
    for (let changes = await world.changes(); changes.length > 0; changes = await world.changes()) {
      await scheduler.onChanges(changes)
      await agents.onChanges(changes, going)
      await world.clock.advance(10)
    }
  }

  it('an undo is given back and made again, without a failure', async () => {
    await world.submitted(
      { a: [], b: ['a'] },
      { undo: true, onExhausted: 'compensate', completeWithin: '30s', retry: { tries: 1 } },
    )
    let undos = 0
    const keys: string[] = []
    const agent = defineAgent('shop', {
      sell: ({ item }: { readonly item: string }, context: AgentContext): unknown =>
        item === 'b' ? context.failPermanently('no') : 'sold',
      takeBack: (_input: unknown, { signal, idempotencyKey }: AgentContext) => {
        undos += 1
        keys.push(idempotencyKey)
        return undos === 1 ? untilAborted(signal) : null
      },
    })
    const agents = world.agents({ agents: [agent] })
    const scheduler = world.scheduler()
    await settle(agents, scheduler)
    expect(undos).toBe(1)
    const stopped = agents.stop(0)
    await world.clock.advance(5_000)
    await stopped
    expect(await world.step('a')).toMatchObject({
      direction: 'undo',
      lockedBy: null,
      undo: { failureCount: 0 },
    })
    await settle(agents, scheduler)
    expect(new Set(keys).size).toBe(1)
    expect(undos).toBe(2)
    expect(await world.job()).toMatchObject({ processState: 'Compensated' })
  })

  it('a step of a limit keeps its place, and a round keeps its number, input and key', async () => {
    const seen: string[] = []
    let within = 0
    let most = 0
    const counter = defineAgent('shop', {
      count: async (_input: { readonly value: number }, context: AgentContext) => {
        seen.push(`${context.round} ${JSON.stringify(context.previous)} ${context.idempotencyKey}`)
        within += 1
        most = Math.max(most, within)
        try {
          if (seen.length === 2) return await untilAborted(context.signal)
          return { value: context.round }
        } finally {
          within -= 1
        }
      },
    })
    const { plan } = defineWorkflow<unknown>('counting', (job) => {
      const until = (output: Reference<{ readonly value: number }>) => condition.atLeast(output.value, 3)
      const options = {
        until,
        undo: 'none',
        limits: [{ key: 'bank', atOnce: 1 }],
        retry: { tries: 1 },
      } as const
      job.repeat('one', counter.count, { value: 0 }, options)
    })
    for (const jobId of ['job-1', 'job-2']) {
      const request = aSubmission(plan, { jobId, partition: jobId })
      await world.put(jobId, submit(request))
    }
    const agents = world.agents({ agents: [counter] })
    const scheduler = world.scheduler()
    await settle(agents, scheduler)
    expect(seen).toHaveLength(2)
    const stopped = agents.stop(0)
    await world.clock.advance(5_000)
    await stopped
    for (let i = 0; i < 20; i += 1) {
      await settle(agents, scheduler)
      await world.clock.advance(1_000)
    }
    expect(most).toBe(1)
    expect(seen[2]).toBe(seen[1])
    expect(await world.job('job-1')).toMatchObject({ processState: 'Processed' })
    expect(await world.job('job-2')).toMatchObject({ processState: 'Processed' })
  })

  it('a step that began without the feed, with an outcome or at the start of its job, is given back', async () => {
    const inProcessPath = new InProcessPath()
    const scheduler = world.scheduler('one', { inProcessPath })
    const agents = world.agents({
      agents: [shopThat(({ item }, { signal }) => (item === 'a' ? 'sold' : untilAborted(signal)))],
      inProcessPath,
    })
    const leaseToken = '0'
    inProcessPath.scheduler.open(leaseToken, {
      isWhole: false,
      beginSubmission: () => null,
      begin: (accepted) => scheduler.begin(accepted, leaseToken),
      settleAndSchedule: (ended) => scheduler.settleAndSchedule(ended, leaseToken),
      foresee: (changes) => scheduler.known.foresee(changes),
      documentAttempts: () => Promise.resolve(),
    })
    inProcessPath.agents.open(leaseToken, {
      start: (step) => agents.startNow(step, leaseToken),
      token: agents.token,
      ...nothingWaits,
    })
    await world.submitted(
      { a: [], b: ['a'], c: [], d: [] },
      { completeWithin: '30s', limits: [{ key: 'bank', atOnce: 9 }] },
    )
    await scheduler.onChanges(await world.changes(), { leaseToken })
    await world.clock.advance(10)
    expect(world.telemetry.of('step.started')).toHaveLength(4)
    const stopped = agents.stop(0)
    await world.clock.advance(5_000)
    await stopped
    for (const id of ['b', 'c', 'd'])
      expect(await world.step(id)).toMatchObject({ lockedBy: null, failureCount: 0 })
  })

  it('a paused job keeps a step that was given back, and goes on when it is resumed', async () => {
    const page = await openSteps()
    const { store, queries, clock, telemetry } = world
    const client = new JobClient({ store, queries, clock, telemetry })
    let calls = 0
    const agent = shopThat((_input, { signal }) => {
      calls += 1
      return calls === 1 ? untilAborted(signal) : 'sold'
    })
    const agents = world.agents({ agents: [agent] })
    const scheduler = world.scheduler()
    await agents.onChanges(page, going)
    await client.pause('job-1', 'wait')
    await scheduler.onChanges(await world.changes())
    const stopped = agents.stop(0)
    await clock.advance(5_000)
    await stopped
    await scheduler.onChanges(await world.changes())
    expect(await world.step()).toMatchObject({ lockedBy: null, completeByMs: null, failureCount: 0 })
    await clock.advance(600_000)
    await client.resume('job-1')
    for (let i = 0; i < 5; i += 1) {
      const changes = await world.changes()
      await scheduler.onChanges(changes)
      await agents.onChanges(changes, going)
      await clock.advance(1)
    }
    expect(calls).toBe(2)
    expect(await world.step()).toMatchObject({ processState: 'Processed', failureCount: 0 })
  })

  it('two stops at once, and a start afterwards', async () => {
    const page = await openSteps()
    let calls = 0
    const agent = shopThat((_input, { signal }) => {
      calls += 1
      return calls === 1 ? untilAborted(signal) : 'sold'
    })
    const agents = world.agents({ agents: [agent] })
    await agents.onChanges(page, going)
    const stopped = Promise.all([agents.stop(0), agents.stop(500)])
    await world.clock.advance(5_000)
    await stopped
    await world.scheduler().onChanges(await world.changes())
    await agents.onChanges(await world.changes(), going)
    await vi.waitUntil(() => calls === 2)
    await world.clock.advance(1)
    expect(await world.step()).toMatchObject({ processState: 'Processed', failureCount: 0 })
  })

  it('a retry within the attempt ends with the stop', async () => {
    const page = await openSteps()
    const agent = shopThat(
      () => {
        throw new Error('busy')
      },
      { retry: { tries: 50, backoff: { min: '1s', max: '1s' } } },
    )
    const agents = world.agents({ agents: [agent] })
    await agents.onChanges(page, going)
    const stopped = agents.stop(1_500)
    await world.clock.advance(5_000)
    await stopped
    expect(await world.step()).toMatchObject({ lockedBy: null, outcome: null, failureCount: 0 })
  })

  it('a thousand attempts are given back at once', async () => {
    const shape = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`s${i}`, []]))
    const agents = world.agents({
      slots: 2_000,
      agents: [shopThat((_input, { signal }) => untilAborted(signal))],
    })
    const ids = Array.from({ length: 11 }, (_, i) => `j${i}`)
    for (const jobId of ids)
      await world.submitted(
        shape,
        { completeWithin: '30s', retry: { tries: 1 } },
        { jobId, partition: jobId },
      )
    const scheduler = world.scheduler()
    for (let i = 0; i < 4; i += 1) await scheduler.onChanges(await world.changes())
    const changes = await Promise.all(
      ids.flatMap((jobId) => Object.keys(shape).map((id) => world.step(id, jobId))),
    )
    await agents.onChanges(
      changes.map((step) => ({ ...step, _lsn: 1 })),
      going,
    )
    await world.clock.advance(1)
    const stopped = agents.stop(0)
    await world.clock.advance(5_000)
    await stopped
    expect(world.telemetry.of('step.returned')).toHaveLength(990)
  })
})

/** Delivers the step to agents, and stops them. Then the scheduler dispatches the step again, if it was given back. */
async function stoppedOnce(isFirst: boolean): Promise<void> {
  const agents = world.agents({ agents: [shopThat((_input, { signal }) => untilAborted(signal))] })
  const signals = { ...going, wasHeldAt: () => isFirst }
  await agents.onChanges([{ ...(await world.step()), _lsn: 1 }], signals)
  await world.clock.advance(1)
  const stopped = agents.stop(0)
  await world.clock.advance(2_000)
  await stopped
  await world.scheduler().onChanges(await world.changes())
}

describe('an attempt that stops take again and again (I8)', () => {
  it('is not given back by the sixth stop, and counts as failed at its deadline', async () => {
    await openSteps({ pay: [] }, { retry: { tries: 2 } })
    for (let stops = 0; stops < 5; stops += 1) await stoppedOnce(true)
    expect(world.telemetry.of('step.returned')).toHaveLength(5)
    expect(await world.step()).toMatchObject({ processState: 'Processing', failureCount: 0 })
    await stoppedOnce(true)
    expect(world.telemetry.of('step.returned')).toHaveLength(5)
    const left = await world.step()
    expect(left).toMatchObject({ processState: 'Processing', returned: { attempt: 1, count: 5 } })
    const now = (left.completeByMs ?? 0) + 60_000
    expect(recoverStep(left, { now, graceMs: 0, supervisor: 's' })).toMatchObject({
      kind: 'retry',
      step: { failureCount: 1 },
    })
  })

  it('has a count of its own, which begins again with the next attempt', async () => {
    await openSteps({ pay: [] }, { retry: { tries: 2 } })
    for (let stops = 0; stops < 5; stops += 1) await stoppedOnce(true)
    const step = await world.step()
    const next = { ...step, attempt: 2, failureCount: 1 }
    const claimant = { fence: step.fence, by: 'agents-1', token: 't' }
    const at = { now: world.clock.now(), wasCalled: true, isFirst: true }
    expect(giveBack(step, claimant, at)).toBeNull()
    expect(giveBack(next, claimant, at)).toMatchObject({ returned: { attempt: 2, count: 1 } })
  })

  it('has the same limit if another process may be making it', async () => {
    await openSteps()
    const step = await world.step()
    const returned = { key: step.idempotencyKey, attempt: 1, count: 5 }
    const joined = { ...step, joinedFence: step.fence, returned }
    const claimant = { fence: step.fence, by: 'agents-1', token: 't' }
    expect(giveBack(joined, claimant, { now: 0, wasCalled: true, isFirst: false })).toBeNull()
  })

  it('has no limit if its handler was not called, because it cannot be the cause', async () => {
    await openSteps()
    const step = await world.step()
    const claimant = { fence: step.fence, by: 'agents-1', token: 't' }
    const at = { now: world.clock.now(), wasCalled: false, isFirst: true }
    expect(giveBack(step, claimant, at)).not.toHaveProperty('returned')
    const returned = { key: step.idempotencyKey, attempt: 1, count: 5 }
    expect(giveBack({ ...step, returned }, claimant, at)).toMatchObject({ lockedBy: null, returned })
  })
})

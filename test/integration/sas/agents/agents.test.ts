import { beforeEach, describe, expect, it, vi } from 'vitest'
import { defineAgent, type AgentContext } from '../../../../src/sas/agents/agent.js'
import type { Json } from '../../../../src/sas/model/documents.js'
import { StoreRefused, StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { recoverStep } from '../../../../src/sas/decisions/recover-step.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { asChange, shop, type WorkflowShape } from '../../../support/a-job.js'
import { deferred } from '../../../support/deferred.js'
import { StateWorld } from '../../../support/state-world.js'

const going = { signal: new AbortController().signal, wasHeldAt: () => true }
const unavailable = { kind: 'throws', error: new StoreUnavailable('busy', { cause: null }) } as const

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

function shopThat(sell: (input: { readonly item: string }, context: AgentContext) => unknown) {
  return defineAgent('shop', { sell })
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

/** Stores and dispatches a job. Returns the page that shows its open steps. */
async function openSteps(shape: WorkflowShape = { pay: [] }) {
  await world.dispatched(shape, { completeWithin: '30s', retry: { tries: 3 } })
  return world.changes()
}

/** The supervisor gives the step back, and a scheduler dispatches it again. */
async function anotherAttempt(): Promise<void> {
  const step = await world.step()
  const recovery = recoverStep(step, { now: step.completeByMs ?? 0, graceMs: 0, supervisor: 'supervisor-1' })
  if (!('step' in recovery)) throw new Error(`the supervisor decided ${recovery.kind}`)
  await world.put('job-1', [replacing(step, recovery.step)])
  await world.scheduler().onChanges(await world.changes())
}

describe('agents', () => {
  it('run the handler of an open step and record its outcome (R49, R83)', async () => {
    const page = await openSteps()
    const agents = world.agents()
    await agents.onChanges(page, going)
    await agents.stop(0)
    expect(await world.step()).toMatchObject({
      processState: 'Processed',
      output: { item: 'pay' },
      outcome: { kind: 'success', by: 'agents-1', attempt: 1 },
    })
    expect(world.telemetry.of('step.settled')).toMatchObject([
      { outcome: 'success', stepId: 'pay', attempt: 1 },
    ])
    expect(world.faults.count('read')).toBe(0)
  })

  it('emit an event for each line that a handler logs, with the ids of its attempt', async () => {
    const page = await openSteps()
    const agents = world.agents({
      agents: [
        shopThat((_input, { log }) => {
          log.info('held', { until: 'noon' })
          log.error('no answer')
        }),
      ],
    })
    await agents.onChanges(page, going)
    await agents.stop(0)
    const about = { jobId: 'job-1', orderId: 'order-1', workflow: 'shopping', stepId: 'pay', attempt: 1 }
    const said = { type: 'agent.logged', instanceName: 'agents-1', ...about }
    expect(world.telemetry.of('agent.logged')).toEqual([
      { ...said, level: 'info', message: 'held', fields: { until: 'noon' } },
      { ...said, level: 'error', message: 'no answer', fields: {} },
    ])
  })

  it('let a handler read the business document that was stored with its job (R55)', async () => {
    const page = await openSteps()
    await world.put('job-1', [{ kind: 'create', document: { id: 'order-1', pk: 'job-1', total: 7 } }])
    const found: unknown[] = []
    const reading = shopThat(async (_input, context) => {
      found.push(await context.readDocument(context.orderId), await context.readDocument('nothing'))
    })
    const agents = world.agents({ agents: [reading] })
    await agents.onChanges(page, going)
    await agents.stop(0)
    expect(found).toMatchObject([{ id: 'order-1', total: 7 }, null])
  })

  it('do not doubt deadlines that all attempts keep (R57)', async () => {
    const fast = world.agents({ slots: 200 })
    const terms = { completeWithin: '30s', retry: { tries: 1 } } as const
    await world.dispatched(Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`s${i}`, []])), terms)
    await fast.onChanges(await world.changes(), going)
    await fast.stop(0)
    expect(world.telemetry.of('step.settled')).toHaveLength(90)
    expect(world.telemetry.of('deadline.doubted')).toEqual([])
  })

  it('doubt a deadline for attempts that it cut off, not for failed or extended ones (R57)', async () => {
    const steps = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`s${i}`, []]))
    const agents = world.agents({
      slots: 200,
      agents: [
        shopThat(async ({ item }, { signal, extend }) => {
          if (item === 's0') throw new Error('busy')
          if (item === 's1') await extend()
          if (item === 's2') await new Promise((resolve) => signal.addEventListener('abort', resolve))
        }),
      ],
    })
    for (const jobId of ['a', 'b']) {
      await world.submitted(steps, { completeWithin: '1m' }, { jobId, partition: jobId })
      await world.scheduler().onChanges(await world.changes())
      await agents.onChanges(await world.changes(), going)
      await world.clock.advance(59_000)
    }
    await agents.stop(0)
    expect(world.telemetry.of('outcome.discarded')).toHaveLength(2)
    expect(world.telemetry.of('deadline.doubted')).toMatchObject([
      {
        operation: 'shop.sell',
        stepId: 's2',
        advice: expect.stringMatching(/^2 of its last 11\d attempts/) as string,
      },
    ])
  })

  it('record the error of a handler, emit it once, and start no other attempt (R6, R8, R68)', async () => {
    const page = await openSteps()
    const agents = world.agents({
      agents: [
        shopThat(() => {
          throw new Error('busy')
        }),
      ],
    })
    await agents.onChanges(page, going)
    await agents.stop(0)
    expect(await world.step()).toMatchObject({
      processState: 'Processing',
      outcome: { kind: 'failed' },
      failureCount: 0,
      diagnostics: [{ message: 'busy', attempt: 1 }],
    })
    const told = world.telemetry.events.filter((event) => 'error' in event)
    expect(told).toMatchObject([
      { type: 'step.settled', outcome: 'failed', error: 'busy', jobId: 'job-1', stepId: 'pay', attempt: 1 },
    ])
    expect(world.faults.writes).toHaveLength(2)
  })

  it.each([
    [
      'F-A16: a handler says so',
      'no such card',
      (context: AgentContext) => context.failPermanently('no such card'),
    ],
    ['F-A17: the output is too large', 'the output has 2000002 bytes', () => 'x'.repeat(2_000_000)],
    ['F-A18: the output is not JSON', 'the output cannot be recorded: output is a bigint', () => 1n],
  ])('flag the step at once when %s', async (_what, message, sell) => {
    const page = await openSteps()
    const agents = world.agents({ agents: [shopThat((_input, context) => sell(context))] })
    await agents.onChanges(page, going)
    await agents.stop(0)
    const { attention, ...step } = await world.step()
    expect(step).toMatchObject({ processState: 'Error', failureCount: 1, output: null })
    expect(attention?.message).toContain(message)
    expect(world.telemetry.of('attention.raised')).toMatchObject([
      { stepId: 'pay', message: attention?.message },
    ])
  })

  it('raise no attention for a step that fails permanently if the job is then undone', async () => {
    await world.dispatched({ pay: [] }, { onExhausted: 'compensate' })
    const agents = world.agents({ agents: [shopThat((_input, context) => context.failPermanently('no'))] })
    await agents.onChanges(await world.changes(), going)
    await agents.stop(0)
    expect((await world.step()).attention?.message).toContain('no')
    expect(world.telemetry.of('step.settled')).toMatchObject([{ outcome: 'permanent' }])
    expect(world.telemetry.of('attention.raised')).toEqual([])
  })

  it('flag a step after one call when its output or its undo cannot be stored (F-A18)', async () => {
    const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown
    for (const [jobId, levels, message] of [
      ['job-1', 150, 'output[0][0][0][0][0][0][0][0]… is nested more than 100 levels deep'],
      ['job-2', 100, 'undo.input'],
    ] as const) {
      await world.submitted({ pay: [] }, { undo: true }, { jobId, partition: jobId })
      await world.scheduler('scheduler-0').onChanges(await world.changes())
      const step = await world.step('pay', jobId)
      const wrapped = JSON.parse(
        `${'{"a":'.repeat(40)}{"$from":["steps","pay","output"]}${'}'.repeat(40)}`,
      ) as Json
      const undo = { ...step.undo, inputTemplate: wrapped }
      await world.put(jobId, [replacing(step, { ...step, undo })])
      let calls = 0
      const agents = world.agents({
        agents: [
          shopThat(() => {
            calls += 1
            return deep(levels)
          }),
        ],
      })
      await agents.onChanges(await world.changes(), going)
      await agents.stop(0)
      expect(calls).toBe(1)
      const { attention, ...ended } = await world.step('pay', jobId)
      expect(ended).toMatchObject({ processState: 'Error', outcome: { kind: 'permanent' } })
      expect(attention?.message).toContain(message)
    }
  })

  it('record a failure when their version of the agent lacks the operation (F-A23)', async () => {
    const page = await openSteps()
    const agents = world.agents({ agents: [defineAgent('shop', { lend: () => 1 })] })
    await agents.onChanges(page, going)
    await agents.stop(0)
    expect(await world.step()).toMatchObject({
      outcome: { kind: 'failed' },
      diagnostics: [{ message: 'agent shop has no operation "sell" here' }],
    })
  })

  it('leave a step alone whose agent they do not have, and report it (R48, R71, F-A22)', async () => {
    const page = await openSteps()
    await world.agents({ agents: [defineAgent('bank', { pay: () => 1 })] }).onChanges(page, going)
    expect(world.faults.writes).toHaveLength(1)
    expect(world.telemetry.of('document.refused')).toEqual([
      {
        type: 'document.refused',
        id: 'sas.step:job-1:pay',
        reason: 'this instance has no agent "shop": run all agents with the same module',
      },
    ])
  })

  it('ignore jobs, foreign documents and steps that are not open', async () => {
    await world.submitted()
    const agents = world.agents()
    await agents.onChanges([...(await world.changes()), asChange({ id: 'x', pk: 'x' })], going)
    await agents.stop(0)
    expect(world.telemetry.events).toEqual([])
    expect(world.faults.writes).toEqual([])
  })

  it('do not begin an attempt again that is under way (F-C1)', async () => {
    const page = await openSteps()
    const { agent, begun, end } = slowShop()
    const agents = world.agents({ agents: [agent] })
    await agents.onChanges(page, going)
    await agents.onChanges(page, going)
    end.resolve('sold')
    await agents.stop(0)
    expect(begun).toEqual(['pay'])
  })

  it('begin attempt 1 again for a later job with the same id', async () => {
    const page = await openSteps()
    const first = await world.step()
    let calls = 0
    const agents = world.agents({ agents: [shopThat(() => (calls += 1))] })
    for (const expected of [1, 2]) {
      await agents.onChanges(expected === 1 ? page : await world.changes(), going)
      await agents.stop(0)
      expect(calls).toBe(expected)
      // The agents see the end of the job. It expires, and a job with the same id is dispatched.
      await agents.onChanges(await world.changes(), going)
      await world.put('job-1', [replacing(await world.step(), first)])
    }
  })
})

describe('an outcome', () => {
  it('is discarded when another instance has settled the attempt first (R76, F-A6)', async () => {
    const page = await openSteps()
    const [one, other] = [slowShop(), slowShop()]
    const first = world.agents({ agents: [one.agent], instanceName: 'agents-1' })
    const second = world.agents({ agents: [other.agent], instanceName: 'agents-2' })
    await first.onChanges(page, going)
    await second.onChanges(page, going)
    other.end.resolve('by two')
    await second.stop(0)
    one.end.resolve('by one')
    await first.stop(0)
    expect(await world.step()).toMatchObject({ output: 'by two', outcome: { by: 'agents-2' } })
    expect(world.telemetry.of('outcome.discarded')).toMatchObject([
      { reason: 'the attempt is settled already' },
    ])
  })

  it('is not written when a slow handler is aborted before its deadline (R77, F-A7)', async () => {
    const page = await openSteps()
    const { agent } = slowShop()
    const agents = world.agents({ agents: [agent] })
    await agents.onChanges(page, going)
    const before = await world.step()
    await world.clock.advance(30_000)
    expect(world.telemetry.of('outcome.discarded')).toMatchObject([
      { reason: 'the attempt had not ended when its time was up' },
    ])
    // Only a claim says that the attempt was made.
    const { _etag, _ts, ...others } = before
    const claim = { by: 'agents-1', fence: before.fence }
    expect(await world.step()).toMatchObject({ ...others, claim })
  })

  it('of attempt 1 changes nothing during attempt 2 (F-A10, F-V13)', async () => {
    const page = await openSteps()
    const { agent, end } = slowShop()
    const agents = world.agents({ agents: [agent] })
    await agents.onChanges(page, going)
    await anotherAttempt()
    const second = await world.step()
    end.resolve('too late')
    await agents.stop(0)
    expect(await world.step()).toEqual(second)
    expect(second).toMatchObject({ attempt: 2, outcome: null })
    expect(world.telemetry.of('outcome.discarded')).toMatchObject([
      { attempt: 1, reason: 'the step was stopped or given to another attempt' },
    ])
  })

  it('is not written when its handler ignored the signal and returned late (F-A12)', async () => {
    const page = await openSteps()
    const { agent, end } = slowShop()
    const agents = world.agents({ agents: [agent] })
    await agents.onChanges(page, going)
    await world.clock.advance(31_000)
    end.resolve('sold')
    await agents.stop(0)
    expect(await world.step()).toMatchObject({ outcome: null, processState: 'Processing' })
  })

  it('that never comes leaves the slot of its handler free after the deadline (F-A12)', async () => {
    const page = await openSteps()
    const { agent, begun } = slowShop()
    const agents = world.agents({ agents: [agent], slots: 1 })
    await agents.onChanges(page, going)
    await world.clock.advance(31_000)
    await anotherAttempt()
    await agents.onChanges(await world.changes(), going)
    await world.clock.advance(1)
    expect(begun).toEqual(['pay', 'pay'])
    const stopped = agents.stop(0)
    await world.clock.advance(1_000)
    await stopped
  })

  it('closes the attempt when it is a failure, and is not replaced (F-A14)', async () => {
    const page = await openSteps()
    let calls = 0
    const agent = shopThat(() => {
      calls += 1
      if (calls === 1) throw new Error('busy')
      return 'sold'
    })
    const agents = world.agents({ agents: [agent] })
    await agents.onChanges(page, going)
    await agents.stop(0)
    await agents.onChanges(await world.changes(), going)
    expect(calls).toBe(1)
    // The old page shows the step as open. The outcome is not replaced even so.
    await agents.onChanges(page, going)
    await agents.stop(0)
    expect(await world.step()).toMatchObject({ outcome: { kind: 'failed' }, output: null })
  })

  it('is discarded when its step is gone', async () => {
    const page = await openSteps()
    const agents = world.agents()
    const gone = page.map((change) => ({
      ...change,
      id: `${change.id}-gone`,
      stepId: `${String(change['stepId'])}-gone`,
    }))
    await agents.onChanges(gone, going)
    await agents.stop(0)
    expect(world.telemetry.of('outcome.discarded')).toMatchObject([{ reason: 'the step is gone' }])
  })
})

describe('recording an outcome', () => {
  it.each(['applied', 'lost'] as const)(
    'happens once when the reply is lost and the write was %s (F-A5)',
    async (truth) => {
      const page = await openSteps()
      world.faults.failWrites({ kind: 'unknownOutcome', truth })
      const agents = world.agents()
      await agents.onChanges(page, going)
      await agents.stop(0)
      expect(await world.step()).toMatchObject({ processState: 'Processed', outcome: { by: 'agents-1' } })
      expect(world.telemetry.of('step.settled')).toHaveLength(1)
      expect(world.telemetry.of('outcome.discarded')).toEqual([])
    },
  )

  it('succeeds after an operator edited the document by hand (F-A28)', async () => {
    const page = await openSteps()
    const step = await world.step()
    await world.put('job-1', [replacing(step, { ...step, note: 'mine' })])
    const agents = world.agents()
    await agents.onChanges(page, going)
    await agents.stop(0)
    expect(await world.step()).toMatchObject({ processState: 'Processed', note: 'mine' })
  })

  it('is repeated while the store is not available', async () => {
    const page = await openSteps()
    world.faults.failWrites(unavailable, unavailable)
    const agents = world.agents()
    await agents.onChanges(page, going)
    await world.clock.advance(5_000)
    expect(await world.step()).toMatchObject({ processState: 'Processed' })
  })

  it('is given up at the deadline', async () => {
    const page = await openSteps()
    world.faults.failWrites(...Array.from({ length: 1_000 }, () => unavailable))
    const agents = world.agents()
    await agents.onChanges(page, going)
    await world.clock.advance(40_000)
    expect(world.telemetry.of('outcome.discarded')).toMatchObject([
      { reason: 'the deadline of the attempt has passed' },
    ])
    const tries = world.faults.count('apply')
    await world.clock.advance(40_000)
    expect(world.faults.count('apply')).toBe(tries)
  })

  it('is given up at once when the store refuses', async () => {
    const page = await openSteps()
    const error = new StoreRefused('no permission')
    world.faults.failWrites({ kind: 'throws', error })
    const agents = world.agents()
    await agents.onChanges(page, going)
    await agents.stop(0)
    expect(world.telemetry.of('outcome.discarded')).toMatchObject([{ error }])
  })
})

describe('back-pressure', () => {
  it('makes the delegate, and so the feed, wait while all slots are taken (R125, F-A24, F-X24)', async () => {
    const page = await openSteps({ a: [], b: [], c: [] })
    const { agent, begun, end } = slowShop()
    const agents = world.agents({ agents: [agent], slots: 2 })
    let isAccepted = false
    const accepted = agents.onChanges(page, going).then(() => {
      isAccepted = true
    })
    await world.clock.advance(1)
    expect(begun).toEqual(['a', 'b'])
    expect(isAccepted).toBe(false)
    end.resolve('sold')
    await accepted
    await agents.stop(0)
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  it('lets the most urgent steps of a page begin first (R126, F-Q10)', async () => {
    const page = await openSteps({ a: [], b: [], c: [] })
    const { agent, begun, end } = slowShop()
    const agents = world.agents({ agents: [agent], slots: 1 })
    const ranked = page.map((change) => ({ ...change, priority: change['stepId'] === 'c' ? 1 : 0 }))
    const accepted = agents.onChanges(ranked, going)
    await world.clock.advance(1)
    expect(begun).toEqual(['c'])
    end.resolve('sold')
    await accepted
    await agents.stop(0)
    expect(begun).toEqual(['c', 'a', 'b'])
  })

  it('does not delay the steps of other agents when one agent has no free slot (R125)', async () => {
    const page = await openSteps({ a: [], b: [], c: [] })
    const { begun, end } = slowShop()
    const shopOfOne = defineAgent('shop', { sell: () => end.promise }, { slots: 1 })
    const bank = defineAgent('bank', { sell: ({ item }: { readonly item: string }) => void begun.push(item) })
    const agents = world.agents({ agents: [shopOfOne, bank], slots: 16 })
    const mixed = page.map((change) => (change['stepId'] === 'c' ? { ...change, actor: 'bank' } : change))
    const accepted = agents.onChanges(mixed, going)
    await world.clock.advance(1)
    expect(begun).toEqual(['c'])
    end.resolve('sold')
    await accepted
    await agents.stop(0)
  })

  it('runs a step once that is delivered twice while it waits for a slot (F-C1)', async () => {
    const page = await openSteps({ a: [], b: [] })
    const { agent, begun, end } = slowShop()
    const agents = world.agents({ agents: [agent], slots: 1 })
    const accepted = [agents.onChanges(page, going), agents.onChanges(page, going)]
    await world.clock.advance(1)
    end.resolve('sold')
    await Promise.all(accepted)
    await agents.stop(0)
    expect(begun.filter((item) => item === 'b')).toEqual(['b'])
  })

  it('gives its whole time to an attempt that waited for a slot until its deadline had passed (I44)', async () => {
    const page = await openSteps({ a: [], b: [] })
    const { agent, begun, end } = slowShop()
    const agents = world.agents({ agents: [agent], slots: 1 })
    const accepted = agents.onChanges(page, going)
    const dispatchedMs = Number(page.find(({ stepId }) => stepId === 'b')?._ts) * 1_000
    expect(agents.waiting.position('').lines).toEqual(new Map([['shop', dispatchedMs]]))
    const { completeByMs } = await world.step('b')
    await world.clock.advance(30_000)
    await accepted
    expect(begun).toEqual(['a', 'b'])
    expect(agents.waiting.position('').lines).toEqual(new Map())
    expect(agents.hasBegun(await world.step('b'))).toBe(true)
    const claimed = await world.step('b')
    expect(claimed).toMatchObject({
      claim: { by: 'agents-1', fence: 1 },
      mayHaveActed: false,
      failureCount: 0,
    })
    expect(claimed.completeByMs).toBe(Date.parse(claimed.claim?.at ?? '') + 30_000)
    expect(claimed.completeByMs).toBeGreaterThan((completeByMs ?? 0) + 25_000)
    end.resolve('sold')
    await agents.stop(30_000)
    expect(await world.step('b')).toMatchObject({ processState: 'Processed', failureCount: 0 })
  })

  it('begins an attempt that the feed delivers only after its deadline, unless a process has claimed it', async () => {
    const page = await openSteps({ a: [], b: [] })
    const { agent, begun, end } = slowShop()
    const agents = world.agents({ agents: [agent], slots: 2 })
    await world.clock.advance(40_000)
    const claim = { by: 'agents-2', token: 't', fence: 1, at: '2026-01-01T00:00:00.000Z' }
    await agents.onChanges(
      page.map((change) => (change['stepId'] === 'b' ? { ...change, claim } : change)),
      going,
    )
    await world.clock.advance(1)
    expect(begun).toEqual(['a'])
    end.resolve('sold')
    await agents.stop(30_000)
    expect(await world.step('a')).toMatchObject({ processState: 'Processed', failureCount: 0, fence: 1 })
  })

  it('does not begin an attempt whose step got another attempt while it waited for a slot', async () => {
    const page = await openSteps({ a: [], b: [] })
    const { agent, begun } = slowShop()
    const agents = world.agents({ agents: [agent], slots: 1 })
    const accepted = agents.onChanges(page, going)
    await world.clock.advance(20_000)
    const step = await world.step('b')
    const policy = { now: step.completeByMs ?? 0, graceMs: 0, supervisor: 'supervisor-1' }
    const recovery = recoverStep(step, policy)
    if (!('step' in recovery)) throw new Error(`the supervisor decided ${recovery.kind}`)
    await world.put('job-1', [replacing(step, recovery.step)])
    await world.clock.advance(12_000)
    await accepted
    await agents.stop(0)
    expect(begun).toEqual(['a'])
  })

  it('marks an attempt that begins late with mayHaveActed if another process may have begun it', async () => {
    const page = await openSteps({ a: [], b: [] })
    const { agent, begun, end } = slowShop()
    const agents = world.agents({ agents: [agent], slots: 1 })
    const accepted = agents.onChanges(page, { ...going, wasHeldAt: () => false })
    await world.clock.advance(31_000)
    await accepted
    end.resolve('sold')
    await agents.stop(30_000)
    expect(begun).toEqual(['a', 'b'])
    expect(await world.step('b')).toMatchObject({ mayHaveActed: true, claim: { fence: 1 }, failureCount: 0 })
  })

  it('ends with a rejection when the lease is lost or the host stops before a slot is free', async () => {
    const page = await openSteps({ a: [], b: [] })
    const { agent, begun, end } = slowShop()
    const agents = world.agents({ agents: [agent], slots: 1 })
    const stopping = new AbortController()
    const accepted = agents.onChanges(page, { signal: stopping.signal })
    const rejected = expect(accepted).rejects.toThrow(
      'this instance stopped, or lost the lease, before a slot was free for step sas.step:job-1:b',
    )
    await world.clock.advance(1)
    stopping.abort()
    await rejected
    end.resolve('sold')
    await agents.stop(0)
    expect(begun).toEqual(['a'])
  })
})

describe('stopping (F-A29)', () => {
  it('waits for handlers within its budget', async () => {
    const page = await openSteps()
    const { agent, end } = slowShop()
    const agents = world.agents({ agents: [agent] })
    await agents.onChanges(page, going)
    const stopped = agents.stop(3_000)
    await world.clock.advance(2_999)
    end.resolve('sold')
    await stopped
    expect(await world.step()).toMatchObject({ processState: 'Processed' })
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('aborts handlers after its budget, offers their steps again without a failure and leaves no timer', async () => {
    const page = await openSteps()
    const signals: AbortSignal[] = []
    const agent = shopThat((_input, { signal }) => {
      signals.push(signal)
      return new Promise(() => undefined)
    })
    const agents = world.agents({ agents: [agent] })
    await agents.onChanges(page, going)
    const { fence } = await world.step()
    const stopped = agents.stop(3_000)
    await world.clock.advance(3_000)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    // A handler has one more second to return.
    await world.clock.advance(999)
    expect(await world.step()).toMatchObject({ fence })
    await world.clock.advance(1)
    await stopped
    const completeByMs = world.clock.now() + 30_000
    const offered = { processState: 'Pending', lockedBy: null, outcome: null, failureCount: 0 }
    const mark = { mayHaveActed: true, completeByMs, fence: fence + 1 }
    expect(await world.step()).toMatchObject({ ...offered, ...mark })
    expect(world.telemetry.of('step.returned')).toMatchObject([{ stepId: 'pay', attempt: 1 }])
    expect(world.telemetry.of('outcome.discarded')).toEqual([])
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('does not keep the same instance from starting again', async () => {
    const agents = world.agents({ agents: [shop] })
    const stopped = agents.stop(0)
    await world.clock.advance(0)
    await stopped
    await agents.onChanges(await openSteps(), going)
    await agents.stop(0)
    expect(await world.step()).toMatchObject({ processState: 'Processed' })
  })
})

describe('agents with steps that must be claimed', () => {
  async function claimable() {
    await world.dispatched({ pay: [] }, { completeWithin: '30s', claim: true })
    return world.changes()
  }

  it('run the handler once when two instances receive the same attempt (F-A6, I21)', async () => {
    const page = await claimable()
    const slow = slowShop()
    const first = world.agents({ agents: [slow.agent] })
    const second = world.agents({ agents: [slow.agent], instanceName: 'agents-2' })
    await first.onChanges(page, going)
    await second.onChanges(page, going)
    slow.end.resolve('sold')
    await Promise.all([first.stop(1_000), second.stop(1_000)])
    expect(slow.begun).toEqual(['pay'])
    const { claim, outcome } = await world.step()
    expect(outcome).toMatchObject({ kind: 'success', by: claim?.by })
    expect(world.telemetry.of('outcome.discarded')).toEqual([])
  })

  it('do not act on an earlier claim, even if it carries their own name (F-A2)', async () => {
    const page = await claimable()
    const slow = slowShop()
    await world.agents({ agents: [slow.agent] }).onChanges(page, going)
    await vi.waitUntil(() => slow.begun.length === 1)
    const restarted = slowShop()
    const agents = world.agents({ agents: [restarted.agent] })
    await agents.onChanges(await world.changes(), going)
    await agents.onChanges(page, going)
    await agents.stop(1_000)
    expect(restarted.begun).toEqual([])
  })

  it('act on the claim of a process of the same machine once that process has ended (F-A31)', async () => {
    const page = await claimable()
    const ended = new Set<string>()
    const seenBy = (own: string) => ({
      own,
      isNeighbour: () => true,
      hasEnded: (identity: string) => ended.has(identity),
    })
    const killed = slowShop()
    await world.agents({ agents: [killed.agent], processes: seenBy('here.1.1') }).onChanges(page, going)
    await vi.waitUntil(() => killed.begun.length === 1)
    const heir = slowShop()
    const agents = world.agents({ agents: [heir.agent], processes: seenBy('here.2.1') })
    const claimed = await world.changes()
    await agents.onChanges(claimed, going)
    expect(heir.begun).toEqual([])
    ended.add('here.1.1')
    await agents.onChanges(claimed, going)
    await vi.waitUntil(() => heir.begun.length === 1)
    expect(await world.step()).toMatchObject({ mayHaveActed: true, claim: { process: 'here.2.1' } })
    killed.end.resolve('late')
    heir.end.resolve('sold')
    await agents.stop(1_000)
    expect(await world.step()).toMatchObject({ processState: 'Processed', failureCount: 0 })
  })

  it('act when only the reply to the claim was lost', async () => {
    const page = await claimable()
    world.faults.failWrites({ kind: 'unknownOutcome', truth: 'applied' })
    const agents = world.agents()
    await agents.onChanges(page, going)
    await agents.stop(1_000)
    expect((await world.step()).outcome).toMatchObject({ kind: 'success' })
  })

  it('do not act when the claim could not be stored', async () => {
    const page = await claimable()
    world.faults.failWrites(...Array.from({ length: 1_000 }, () => unavailable))
    const slow = slowShop()
    const agents = world.agents({ agents: [slow.agent] })
    await agents.onChanges(page, going)
    await world.clock.advance(20_000)
    const stopped = agents.stop(1_000)
    // The store also refuses the write that gives the attempt back.
    await world.clock.advance(5_000)
    await stopped
    expect(slow.begun).toEqual([])
    expect(world.telemetry.of('outcome.discarded')).toHaveLength(1)
  })

  it('act when the store has answered again before the deadline', async () => {
    const page = await claimable()
    world.faults.failWrites(unavailable, unavailable)
    const slow = slowShop()
    const agents = world.agents({ agents: [slow.agent] })
    await agents.onChanges(page, going)
    expect(slow.begun).toEqual([])
    await world.clock.advance(2_000)
    expect(slow.begun).toEqual(['pay'])
    slow.end.resolve('sold')
    await agents.stop(1_000)
    expect(await world.step()).toMatchObject({ processState: 'Processed' })
  })
})

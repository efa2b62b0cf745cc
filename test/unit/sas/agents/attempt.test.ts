import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../src/platform/index.js'
import { agentLog } from '../../../../src/sas/agents/agent-log.js'
import type { AgentContext, AgentHandler } from '../../../../src/sas/agents/agent.js'
import { makeAttempt, type AttemptOptions } from '../../../../src/sas/agents/attempts/attempt.js'
import type { Json } from '../../../../src/sas/model/documents.js'
import type { Outcome } from '../../../../src/sas/decisions/settle.js'
import { silent } from '../../../../src/telemetry/internal.js'
import { submittedAtMs } from '../../../support/a-job.js'
import { deferred } from '../../../support/deferred.js'
import { JobStory, longestBackoff } from '../../../support/job-story.js'

const dispatched = JobStory.submitted({ pay: [] }, { completeWithin: '30s' }).scheduled().step('pay')

/** One attempt of a handler, and the clock it runs on. */
function attempting(
  handler: AgentHandler<Json, unknown>,
  {
    stopping = new AbortController().signal,
    extend = noMore,
    retrying = once,
    step = dispatched,
  }: Partial<AttemptOptions> = {},
) {
  const clock = new VirtualClock(submittedAtMs)
  const random = longestBackoff
  return {
    clock,
    outcome: makeAttempt({ step, handler, retrying, clock, random, log, stopping, extend, readDocument }),
  }
}

const readDocument = (): Promise<null> => Promise.resolve(null)
const log = agentLog(silent, { ...dispatched, instanceName: 'agents-1' })

const once = { tries: 1, backoff: { minMs: 0, maxMs: 0 } }

const noMore: AttemptOptions['extend'] = () => Promise.resolve({ over: 'another process makes this attempt' })

async function outcomeOf(handler: AgentHandler<Json, unknown>): Promise<Outcome | null> {
  const { clock, outcome } = attempting(handler)
  const ended = await outcome
  expect(clock.pendingTimers).toBe(0)
  return ended
}

describe('an attempt that ends in time', () => {
  it('gives each call of the handler an input of its own, which the handler may change', async () => {
    const seen: Json[] = []
    const changing: AgentHandler<Json, unknown> = (input) => {
      seen.push({ ...(input as Record<string, Json>) })
      Object.assign(input as object, { item: 'changed' })
      throw new Error('try again')
    }
    const retrying = { tries: 2, backoff: { minMs: 0, maxMs: 0 } }
    const { clock, outcome } = attempting(changing, { retrying })
    await clock.advance(10)
    await outcome
    expect(seen).toEqual([{ item: 'pay' }, { item: 'pay' }])
    expect(dispatched.input).toEqual({ item: 'pay' })
  })

  it('passes the handler its input, and the ids, key and deadline of the attempt (R55, R59)', async () => {
    const seen = deferred<[Json, AgentContext]>()
    await outcomeOf((input, context) => seen.resolve([input, context]))
    const [input, context] = await seen.promise
    expect(input).toEqual({ item: 'pay' })
    expect(context).toMatchObject({
      jobId: 'job-1',
      orderId: 'order-1',
      stepId: 'pay',
      attempt: 1,
      idempotencyKey: 'job-1/pay/g1/do',
      deadline: new Date(submittedAtMs + 30_000),
    })
    expect(context.signal.aborted).toBe(false)
  })

  it('passes an undo its recorded input, and the key of the call that it undoes (R41)', async () => {
    const story = JobStory.submitted({ pay: [] }, { undo: true, retry: { tries: 1 } })
      .scheduled()
      .expired('pay')
    const cancelled = story.scheduled().commanded({ kind: 'cancel', by: 'ann', why: 'withdrawn' }).scheduled()
    const undoing = cancelled.step('pay')
    const seen = deferred<[Json, AgentContext]>()
    const handler: AgentHandler<Json, unknown> = (input, context) => seen.resolve([input, context])
    const step = { ...undoing, undo: undoing.undo && { ...undoing.undo, input: { sold: 'recorded' } } }
    await attempting(handler, { step }).outcome
    const [input, context] = await seen.promise
    expect(input).toEqual({ sold: 'recorded' })
    expect(context).toMatchObject({ idempotencyKey: 'job-1/pay/g1/undo', undoes: 'job-1/pay/g1/do' })
  })

  it.each([
    ['a value', { id: 7 }, { id: 7 }],
    ['nothing', undefined, null],
    ['a date, as JSON says it', new Date(0), '1970-01-01T00:00:00.000Z'],
  ])('succeeds with %s', async (_what, returned, output) => {
    expect(await outcomeOf(async () => returned)).toEqual({ kind: 'success', output })
    expect(await outcomeOf(() => returned)).toEqual({ kind: 'success', output })
  })

  it.each([
    ['an error', new Error('busy'), 'busy'],
    ['an error with its cause', new Error('busy', { cause: new Error('ECONNRESET') }), 'busy (ECONNRESET)'],
    ['something else', 'busy', 'busy'],
    ['something that has no text', Object.create(null), 'a failure that cannot be described'],
  ])('fails for now when %s is thrown', async (_what, thrown, message) => {
    const throwing = (): never => {
      throw thrown
    }
    expect(await outcomeOf(throwing)).toEqual({ kind: 'failed', message })
    expect(await outcomeOf(async () => throwing())).toEqual({ kind: 'failed', message })
  })

  it.each([
    ['an error', new Error('no such card'), 'no such card'],
    ['an error with its cause', new Error('no card', { cause: new Error('404') }), 'no card (404)'],
    ['something else', 'no such card', 'no such card'],
  ])(
    'fails for good when the handler calls `failPermanently` with %s (F-A16)',
    async (_what, error, message) => {
      expect(await outcomeOf((_input, context) => context.failPermanently(error))).toEqual({
        kind: 'permanent',
        message,
        didNothing: true,
      })
    },
  )
})

describe('an output that cannot be stored', () => {
  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  /** Deeper than the store accepts. */
  const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) as unknown

  it.each([
    ['is cyclic', cyclic],
    ['holds a bigint', { id: 1n }],
    ['is a function', () => 1],
    ['is a symbol', Symbol('x')],
    ['holds NaN', { total: Number.NaN }],
    ['is nested too deep', deep],
  ])('fails the step for good when it %s (F-A18)', async (_what, output) => {
    expect(await outcomeOf(() => output)).toEqual({
      kind: 'permanent',
      message: expect.stringMatching(/^the output cannot be recorded: output/) as string,
    })
  })

  it('fails the step for good when it has more than 1,000,000 bytes (F-A17)', async () => {
    expect(await outcomeOf(() => 'x'.repeat(1_000_000 - 2))).toMatchObject({ kind: 'success' })
    expect(await outcomeOf(() => 'x'.repeat(1_000_000 - 1))).toEqual({
      kind: 'permanent',
      message:
        'the output has 1000001 bytes; the limit is 1000000: store the output elsewhere and return its address, or give hosts and clients the option payloads',
    })
    // The limit counts bytes, not characters.
    expect(await outcomeOf(() => '🛒'.repeat(300_000))).toMatchObject({ kind: 'permanent' })
  })
})

describe('an attempt that does not end in time (F-A11)', () => {
  /** A handler that ends with the given promise, and resolves `begun` when it begins. */
  function slow(end: Promise<unknown>) {
    const begun = deferred<AgentContext>()
    const handler: AgentHandler<Json, unknown> = (_input, context) => {
      begun.resolve(context)
      return end
    }
    return { begun: begun.promise, handler }
  }

  it('is aborted a little before the deadline, and has no outcome', async () => {
    const { begun, handler } = slow(new Promise(() => undefined))
    const { clock, outcome } = attempting(handler)
    const { signal } = await begun
    await clock.advance(28_999)
    expect(signal.aborted).toBe(false)
    await clock.advance(1)
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toEqual(new Error('the deadline of step pay is near'))
    expect(await outcome).toBeNull()
    expect(clock.pendingTimers).toBe(0)
  })

  it('has aborted if the handler first looks at it after the deadline', async () => {
    const { begun, handler } = slow(new Promise(() => undefined))
    const { clock, outcome } = attempting(handler)
    const context = await begun
    await clock.advance(29_000)
    expect(await outcome).toBeNull()
    expect(context.signal.reason).toEqual(new Error('the deadline of step pay is near'))
    expect(context.signal).toBe(context.signal)
  })

  it.each(['success', 'failure'])(
    'has no outcome even if %s comes after the signal (F-A12)',
    async (kind) => {
      const end = deferred<string>()
      const { begun, handler } = slow(end.promise)
      const { clock, outcome } = attempting(handler)
      await begun
      clock.schedule(29_000, () => {
        if (kind === 'success') end.resolve('sold')
        else end.reject(new Error('aborted'))
      })
      await clock.advance(29_000)
      expect(await outcome).toBeNull()
    },
  )

  it.each(['success', 'failure'])('has no outcome when %s comes together with the signal', async (kind) => {
    const stopping = new AbortController()
    const { outcome } = attempting(
      () => {
        stopping.abort()
        if (kind === 'failure') throw new Error('aborted')
        return 'sold'
      },
      { stopping: stopping.signal },
    )
    expect(await outcome).toBeNull()
  })

  it('is aborted when the host stops (F-A29)', async () => {
    const stopping = new AbortController()
    const { begun, handler } = slow(new Promise(() => undefined))
    const { clock, outcome } = attempting(handler, { stopping: stopping.signal })
    const { signal } = await begun
    stopping.abort()
    expect(signal.aborted).toBe(true)
    await clock.advance(1_000)
    expect(await outcome).toBeNull()
    expect(clock.pendingTimers).toBe(0)
  })

  it('is not begun when the host has stopped already, or no time is left', async () => {
    const begun: AgentContext[] = []
    const handler: AgentHandler<Json, unknown> = (_input, context) => begun.push(context)
    expect(await attempting(handler, { stopping: AbortSignal.abort() }).outcome).toBeNull()
    const stopping = new AbortController().signal
    const clock = new VirtualClock(submittedAtMs + 29_000)
    const rest = { retrying: once, random: longestBackoff, log, stopping, extend: noMore, readDocument }
    expect(await makeAttempt({ step: dispatched, handler, clock, ...rest })).toBeNull()
    const undated = { ...dispatched, completeByMs: null }
    expect(await makeAttempt({ step: undated, handler, clock, ...rest })).toBeNull()
    expect(begun).toEqual([])
    const intime = new VirtualClock(submittedAtMs + 28_999)
    expect(await makeAttempt({ step: dispatched, handler, clock: intime, ...rest })).toMatchObject({
      kind: 'success',
    })
  })
})

describe('an attempt that asks for more time (F-A25)', () => {
  it('may go on until its new deadline', async () => {
    const begun = deferred<AgentContext>()
    const { clock, outcome } = attempting(
      async (_input, context) => {
        begun.resolve(context)
        await context.extend()
        await new Promise((resolve) => clock.schedule(40_000, () => resolve(null)))
        return 'sold'
      },
      { extend: () => Promise.resolve(submittedAtMs + 60_000) },
    )
    const context = await begun.promise
    await clock.advance(40_000)
    expect(context.deadline).toEqual(new Date(submittedAtMs + 60_000))
    expect(await outcome).toMatchObject({ kind: 'success' })
    expect(clock.pendingTimers).toBe(0)
    await expect(context.extend()).rejects.toThrow('this attempt at step pay has ended')
    expect(clock.pendingTimers).toBe(0)
  })

  it('may say how far it is, in valid values', async () => {
    const reports: unknown[] = []
    const { outcome } = attempting(
      async (_input, context) => {
        await context.progress({ done: 3, of: 9, note: 'invoices' })
        await context.progress({ done: -1, note: 'x'.repeat(201), at: 'now' } as never)
      },
      {
        extend: ({ progress }) => {
          reports.push(progress)
          return Promise.resolve(submittedAtMs + 60_000)
        },
      },
    )
    expect(await outcome).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/^context\.progress: .*done is -1.*note is .*at.*/u) as string,
    })
    expect(reports).toEqual([{ done: 3, of: 9, note: 'invoices' }])
  })

  it('is aborted with the reason when its request is refused', async () => {
    const begun = deferred<AgentContext>()
    const { outcome } = attempting(async (_input, context) => {
      begun.resolve(context)
      await context.extend()
    })
    const { signal, extend } = await begun.promise
    expect(await outcome).toBeNull()
    expect(signal.reason).toEqual(new Error('another process makes this attempt'))
    await expect(extend()).rejects.toThrow('another process makes this attempt')
  })

  it('is aborted at its old deadline when no answer comes (F-A26)', async () => {
    const begun = deferred<AgentContext>()
    const answer = deferred<number>()
    const { clock, outcome } = attempting(
      async (_input, context) => {
        begun.resolve(context)
        await context.extend()
      },
      { extend: () => answer.promise },
    )
    const { signal } = await begun.promise
    await clock.advance(29_000)
    expect(signal.aborted).toBe(true)
    answer.resolve(submittedAtMs + 60_000)
    expect(await outcome).toBeNull()
    expect(clock.pendingTimers).toBe(0)
  })
})

describe('a handler that is called again within its attempt (R72)', () => {
  const retrying = { tries: 3, backoff: { minMs: 1_000, maxMs: 4_000 } }

  /** A handler that throws the given errors, one per call, then succeeds; and the times of its calls. */
  function failing(clockOf: () => VirtualClock, ...errors: readonly unknown[]) {
    const left = [...errors]
    const calls: number[] = []
    const handler: AgentHandler<Json, unknown> = () => {
      calls.push(clockOf().now() - submittedAtMs)
      if (left.length > 0) throw left.shift()
      return 'sold'
    }
    return { calls, handler }
  }

  async function ended(errors: readonly unknown[], given = retrying) {
    const clocks: VirtualClock[] = []
    const clockOf = (): VirtualClock => clocks[0] ?? new VirtualClock(submittedAtMs)
    const { calls, handler } = failing(clockOf, ...errors)
    const { clock, outcome } = attempting(handler, { retrying: given })
    clocks.push(clock)
    await clock.advance(29_000)
    expect(clock.pendingTimers).toBe(0)
    return { calls, outcome: await outcome }
  }

  it('succeeds with its third call, after pauses that double', async () => {
    expect(await ended([new Error('busy'), new Error('busy')])).toEqual({
      calls: [0, 1_000, 3_000],
      outcome: { kind: 'success', output: 'sold' },
    })
  })

  it('fails with the error of its last call', async () => {
    const errors = ['one', 'two', 'three', 'four'].map((message) => new Error(message))
    expect(await ended(errors)).toEqual({
      calls: [0, 1_000, 3_000],
      outcome: { kind: 'failed', message: 'three' },
    })
  })

  it('fails in time, without another call, when the pause may end after the deadline (R77)', async () => {
    const long = { tries: 9, backoff: { minMs: 8_000, maxMs: 16_000 } }
    const { calls, outcome } = await ended(Array(9).fill(new Error('busy')), long)
    expect(calls).toEqual([0, 8_000, 24_000])
    expect(outcome).toEqual({ kind: 'failed', message: 'busy' })
  })

  it('is not called again after it failed for good', async () => {
    let calls = 0
    const { outcome } = attempting(
      (_input, context) => {
        calls += 1
        context.failPermanently('no such card')
      },
      { retrying },
    )
    expect(await outcome).toEqual({ kind: 'permanent', message: 'no such card', didNothing: true })
    expect(calls).toBe(1)
  })

  it('may have acted at its first call when its second is refused for good (F-A20)', async () => {
    let calls = 0
    const { clock, outcome } = attempting(
      (_input, context) => {
        calls += 1
        if (calls === 1) throw new Error('no answer')
        context.failPermanently('charged already')
      },
      { retrying },
    )
    await clock.advance(60_000)
    expect(await outcome).toEqual({ kind: 'permanent', message: 'charged already', didNothing: false })
  })
})

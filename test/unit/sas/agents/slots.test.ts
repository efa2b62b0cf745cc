import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../src/platform/index.js'
import { Pace } from '../../../../src/sas/agents/pace.js'
import { Slots, type Candidate } from '../../../../src/sas/agents/slots.js'

const clock = new VirtualClock()
const pace = new Pace(clock)
const never = new AbortController().signal

const anybody: Candidate = { agent: 'shop', priority: 0 }

/** Records in `order` when this candidate gets its slot. */
function inLine(slots: Slots, name: string, order: string[], signal = never): Promise<boolean> {
  return queued(slots, { ...anybody, name, order, signal })
}

function queued(
  slots: Slots,
  {
    name,
    order,
    signal = never,
    ...candidate
  }: Candidate & { name: string; order: string[]; signal?: AbortSignal },
): Promise<boolean> {
  return slots.take(signal, candidate).then((isTaken) => {
    order.push(isTaken ? name : `${name} left`)
    return isTaken
  })
}

describe('the room that work will find', () => {
  const limits = new Map([['bank', 1]])

  it('counts other work, and the slot that becomes free', async () => {
    const slots = new Slots(2, pace, limits)
    expect(slots.willHaveRoomFor('shop', [], null)).toBe(true)
    expect(slots.willHaveRoomFor('shop', ['shop', 'bank'], null)).toBe(false)
    expect(slots.willHaveRoomFor('bank', ['bank'], null)).toBe(false)
    for (const agent of ['shop', 'bank']) await slots.take(never, { agent, priority: 0 })
    expect(slots.willHaveRoomFor('shop', [], null)).toBe(false)
    expect(slots.willHaveRoomFor('shop', [], 'bank')).toBe(true)
    expect(slots.willHaveRoomFor('bank', [], 'bank')).toBe(true)
    expect(slots.willHaveRoomFor('bank', [], 'shop')).toBe(false)
  })

  it('is none while other work waits, which gets the slot first', async () => {
    const slots = new Slots(1, pace)
    await slots.take(never, anybody)
    const waiting = slots.take(never, anybody)
    expect(slots.willHaveRoomFor('shop', [], 'shop')).toBe(false)
    slots.release('shop')
    expect(await waiting).toBe(true)
  })
})

describe('slots', () => {
  it('are given at once while one is free, and then in the order of the queue', async () => {
    const slots = new Slots(1, pace)
    const order: string[] = []
    await inLine(slots, 'a', order)
    const waiting = [inLine(slots, 'b', order), inLine(slots, 'c', order)]
    expect(slots.usage().busy).toBe(1)
    expect(order).toEqual(['a'])
    slots.release('shop')
    await waiting[0]
    expect(order).toEqual(['a', 'b'])
    slots.release('shop')
    await waiting[1]
    expect(order).toEqual(['a', 'b', 'c'])
    expect(slots.usage().busy).toBe(1)
    slots.release('shop')
    expect(slots.usage().busy).toBe(0)
  })

  it('go to the next candidate in the queue when the signal of a waiting one aborts', async () => {
    const slots = new Slots(1, pace)
    const order: string[] = []
    const leaving = new AbortController()
    await inLine(slots, 'a', order)
    const waiting = [inLine(slots, 'b', order, leaving.signal), inLine(slots, 'c', order)]
    leaving.abort()
    expect(await waiting[0]).toBe(false)
    slots.release('shop')
    expect(await waiting[1]).toBe(true)
    expect(order).toEqual(['a', 'b left', 'c'])
  })

  it('are not given to a candidate whose signal has already aborted', async () => {
    const slots = new Slots(1, pace)
    expect(await slots.take(AbortSignal.abort(), anybody)).toBe(false)
    expect(slots.usage().busy).toBe(0)
  })

  it('stay with their holder when its signal aborts later', async () => {
    const slots = new Slots(1, pace)
    const order: string[] = []
    const later = new AbortController()
    await inLine(slots, 'a', order)
    const waiting = inLine(slots, 'b', order, later.signal)
    slots.release('shop')
    await waiting
    later.abort()
    const next = inLine(slots, 'c', order)
    slots.release('shop')
    await next
    expect(order).toEqual(['a', 'b', 'c'])
  })

  it('are taken at once or not at all by `takeFree`', async () => {
    const slots = new Slots(1, pace)
    expect(slots.takeFree({ agent: 'shop' })).toBe(true)
    expect(slots.takeFree({ agent: 'shop' })).toBe(false)
    slots.release('shop')
    expect(slots.takeFree({ agent: 'shop' })).toBe(true)
  })

  it('go to the candidate of highest priority, and among equals to the first (R126, F-Q10)', async () => {
    const slots = new Slots(1, pace)
    const order: string[] = []
    await inLine(slots, 'first', order)
    const waiting = [0, 5, 9, 5].map((priority, index) =>
      queued(slots, { agent: 'shop', priority, name: `${priority}${'abcd'[index] ?? ''}`, order }),
    )
    for (const last of [2, 1, 3, 0]) {
      slots.release('shop')
      await waiting[last]
    }
    expect(order).toEqual(['first', '9c', '5b', '5d', '0a'])
  })

  it('sometimes go to the longest waiting candidate, so urgent work starves no other (F-Q10)', async () => {
    const slots = new Slots(1, pace)
    const order: string[] = []
    await inLine(slots, 'first', order)
    const patient = inLine(slots, 'patient', order)
    for (let turn = 0; turn < 8 && !order.includes('patient'); turn += 1) {
      const urgent = queued(slots, { agent: 'shop', priority: 1, name: 'urgent', order })
      slots.release('shop')
      await Promise.race([urgent, patient])
    }
    expect(order).toEqual(['first', ...Array<string>(7).fill('urgent'), 'patient'])
  })

  it('are limited for each agent, and an agent at its limit does not delay others (R125)', async () => {
    const slots = new Slots(3, pace, new Map([['bank', 1]]))
    const order: string[] = []
    const bank = { agent: 'bank', priority: 9, order }
    await queued(slots, { ...bank, name: 'bank 1' })
    const second = queued(slots, { ...bank, name: 'bank 2' })
    await inLine(slots, 'shop 1', order)
    slots.release('shop')
    await inLine(slots, 'shop 2', order)
    expect(order).toEqual(['bank 1', 'shop 1', 'shop 2'])
    slots.release('bank')
    await second
    expect(order.at(-1)).toBe('bank 2')
  })

  it('of an agent apart do not count towards the total, and have a limit of their own', () => {
    const slots = new Slots(1, pace, new Map([['lists', 2]]), new Set(['lists']))
    expect([
      slots.takeFree({ agent: 'lists' }),
      slots.takeFree({ agent: 'lists' }),
      slots.takeFree({ agent: 'lists' }),
    ]).toEqual([true, true, false])
    expect(slots.usage().busy).toBe(0)
    expect([slots.takeFree({ agent: 'shop' }), slots.takeFree({ agent: 'shop' })]).toEqual([true, false])
    slots.release('lists')
    expect(slots.usage().busy).toBe(1)
    expect([slots.takeFree({ agent: 'lists' }), slots.takeFree({ agent: 'lists' })]).toEqual([true, false])
  })
})

describe('work with a rate', () => {
  const rates = [{ key: 'bank', group: '', perSecond: 10, burst: 2 }]
  const shared = { agent: 'shop', rates }

  const slow = { key: 'slow', group: '', perSecond: 0.1, burst: 1 }

  /** Slots, and a function that waits for `count` of them and says when each was given. */
  function paced(count: number) {
    const clock = new VirtualClock()
    const slots = new Slots(count, new Pace(clock))
    const startedMs: number[] = []
    const wait = (signal = never, priority = 0): void => {
      slots.take(signal, { ...shared, priority }).then(
        (isTaken) => {
          if (isTaken) startedMs.push(clock.monotonic())
        },
        () => undefined,
      )
    }
    return { clock, slots, startedMs, wait }
  }

  it('that had to wait starts by its rate, and other work does not wait for it', async () => {
    const { clock, slots, startedMs, wait } = paced(100)
    for (let index = 0; index < 6; index += 1) wait()
    expect(slots.takeFree({ agent: 'mail' })).toBe(true)
    await clock.advance(1_000)
    expect(startedMs).toEqual([0, 0, 100, 200, 300, 400])
  })

  it('may come a bit early, but does not pass work that waits for the same rate', async () => {
    const { clock, slots, startedMs, wait } = paced(100)
    expect([1, 2, 3].map(() => slots.takeFree(shared))).toEqual([true, true, false])
    await clock.advance(50)
    expect(slots.takeFree(shared)).toBe(true)
    expect(slots.takeFree(shared)).toBe(false)
    wait()
    await clock.advance(149)
    expect(slots.takeFree(shared)).toBe(false)
    await clock.advance(1)
    expect(startedMs).toEqual([200])
  })

  it('of another agent is not early either while work waits for the rate that both have', async () => {
    const { clock, slots, startedMs, wait } = paced(100)
    for (let count = 0; count < 2; count += 1) slots.takeFree(shared)
    wait()
    await clock.advance(60)
    expect(slots.takeFree({ agent: 'mail', rates })).toBe(false)
    await clock.advance(40)
    expect(startedMs).toEqual([100])
  })

  it('keeps to its rate, however fast it comes', async () => {
    const { clock, slots, startedMs, wait } = paced(10_000)
    for (let atMs = 0; atMs < 2_000; atMs += 25) {
      wait()
      await clock.advance(25)
    }
    expect(startedMs.filter((ms) => ms < 1_000)).toHaveLength(11)
    expect(slots.usage().busy).toBe(22)
  })

  it('does not wait for work that has to wait longer: for another rate, or for a slot of its agent', async () => {
    const clock = new VirtualClock()
    const slots = new Slots(100, new Pace(clock), new Map([['crowded', 1]]))
    const waits = (candidate: Candidate): Promise<boolean> => slots.take(never, candidate)
    const waiting = [
      waits({ agent: 'shop', rates: [slow], priority: 0 }),
      waits({ agent: 'shop', rates: [...rates, slow], priority: 0 }),
      waits({ agent: 'crowded', priority: 0 }),
      waits({ agent: 'crowded', rates, priority: 0 }),
    ]
    expect(waiting).toHaveLength(4)
    // The two that wait have taken the calls of the burst.
    const started: boolean[] = []
    for (let count = 0; count < 20; count += 1) {
      await clock.advance(100)
      started.push(slots.takeFree(shared))
    }
    expect(started).toEqual(Array(20).fill(true))
  })

  it('starts by the rate that gave its time, and other rates of the key neither slow it down nor speed it up', async () => {
    const { clock, slots, startedMs } = paced(1_000)
    const given = (perSecond: number, burst: number) => {
      return { agent: 'shop', rates: rates.map((gate) => ({ ...gate, given: { perSecond, burst } })) }
    }
    for (let count = 0; count < 100; count += 1) expect(slots.takeFree(given(100, 100))).toBe(true)
    const noted = (isTaken: boolean): void => {
      if (isTaken) startedMs.push(clock.monotonic())
    }
    const waiting = Array.from({ length: 4 }, () =>
      slots.take(never, { ...given(1, 1), priority: 0 }).then(noted),
    )
    for (let count = 0; count < 40; count += 1) {
      await clock.advance(100)
      expect(slots.takeFree(given(100, 100))).toBe(true)
    }
    await Promise.all(waiting)
    expect(startedMs).toEqual([0, 1_000, 2_000, 3_000])
  })

  it('needs a slot and room at its rate', async () => {
    const { clock, slots, startedMs, wait } = paced(1)
    for (let index = 0; index < 4; index += 1) wait()
    await clock.advance(5_000)
    expect(startedMs).toEqual([0])
    for (let index = 0; index < 3; index += 1) {
      slots.release('shop')
      await clock.advance(0)
    }
    expect(startedMs).toEqual([0, 5_000, 5_000])
    await clock.advance(100)
    expect(startedMs).toEqual([0, 5_000, 5_000, 5_100])
  })

  it('leaves no timer behind when all waiting work has left', async () => {
    const { clock, wait } = paced(100)
    const ending = new AbortController()
    for (let index = 0; index < 3; index += 1) wait(ending.signal)
    await clock.advance(0)
    expect(clock.pendingTimers).toBe(1)
    ending.abort()
    expect(clock.pendingTimers).toBe(0)
  })
})

describe('work that waits for its rates starts in the end', () => {
  const [one, other] = ['one', 'other'].map((key) => ({ key, group: '', perSecond: 10, burst: 1 }))
  const only = (rate = one) => (rate === undefined ? [] : [rate])

  /** Slots, the names of what has started, and a function that waits for one. */
  function line(limits = new Map<string, number>()) {
    const clock = new VirtualClock()
    const slots = new Slots(100_000, new Pace(clock), limits)
    const started: string[] = []
    const never = new AbortController().signal
    const wait = (name: string, candidate: Partial<Candidate>): void => {
      slots.take(never, { agent: 'shop', priority: 0, ...candidate }).then(
        () => started.push(name),
        () => undefined,
      )
    }
    return { clock, slots, started, wait }
  }

  it('if it has two rates, which never allow a start at the same time', async () => {
    const { clock, started, wait } = line()
    wait('one', { rates: only(one) })
    await clock.advance(50)
    wait('other', { rates: only(other) })
    wait('both', { rates: [...only(one), ...only(other)] })
    for (let count = 0; count < 100; count += 1) {
      wait('one', { rates: only(one) })
      wait('other', { rates: only(other) })
    }
    await clock.advance(5_000)
    expect(started.indexOf('both')).toBeGreaterThan(0)
    expect(started.indexOf('both')).toBeLessThan(10)
  })

  it('if more urgent work of its rate goes on to come, and every eighth slot falls to another rate', async () => {
    const { clock, started, wait } = line()
    wait('first', { priority: 9, rates: only(one) })
    wait('first', { priority: 5, rates: only(other) })
    wait('patient', { priority: 0, rates: only(one) })
    for (let count = 0; count < 100; count += 1) {
      wait('urgent', { priority: 9, rates: only(one) })
      wait('other', { priority: 5, rates: only(other) })
    }
    await clock.advance(3_000)
    expect(started).toContain('patient')
  })

  it('if its agent has one slot, and other agents use its rate while the slot is taken', async () => {
    const { clock, slots, started, wait } = line(new Map([['bank', 1]]))
    expect(slots.takeFree({ agent: 'bank' })).toBe(true)
    wait('rated', { agent: 'bank', rates: only(one) })
    for (let count = 0; count < 100; count += 1) wait('unrated', { agent: 'bank' })
    for (let atMs = 0; atMs < 5_000; atMs += 10) {
      if (atMs % 100 === 0) slots.takeFree({ agent: 'shop', rates: only(one) })
      if (atMs % 130 === 70) slots.release('bank')
      await clock.advance(10)
    }
    expect(started).toContain('rated')
  })
})

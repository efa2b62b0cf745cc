import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  arrive,
  called,
  checkedLater,
  emptyGate,
  holderOf,
  left,
  ruledBy,
  withNextCheck,
  type Arrival,
  type GateAnswer,
} from '../../../../src/sas/gates/gate.js'
import type { GateDocument, GateWaiterDocument, Visitor } from '../../../../src/sas/model/gate-documents.js'
import { maxPassed, nextTurns } from '../../../../src/sas/gates/queues.js'
import type { GateRules, Turn } from '../../../../src/sas/model/gate-parts.js'

const now = 1_000_000

function visitorOf(name: string): Visitor {
  return { pk: name, jobId: name, stepId: 'pay', entry: 0 }
}

function arrivalOf(
  name: string,
  rules: GateRules,
  more: Partial<Arrival> & { group?: string } = {},
): Arrival {
  const { group = '', ...rest } = more
  return {
    visitor: visitorOf(name),
    gate: { key: 'bank', group, ...rules },
    submittedAtMs: now,
    priority: 0,
    withinMs: 60_000,
    turn: null,
    reservedMs: null,
    isLast: true,
    ...rest,
  }
}

/** A gate in memory, with the documents of its waiters. */
class Bank {
  gate: GateDocument = emptyGate('bank', now)
  readonly waiters = new Map<string, GateWaiterDocument>()
  /** The names of the steps that came from the queue, in order. */
  readonly called: string[] = []

  come(arrival: Arrival, at = now): GateAnswer {
    const arrived = arrive(ruledBy(this.gate, arrival), arrival, at)
    this.gate = withNextCheck(arrived.gate, at)
    if (arrived.waiter !== null) this.waiters.set(idOf(arrived.waiter), arrived.waiter)
    return arrived.answer
  }

  leave(name: string, at = now): void {
    const next = nextTurns(left(this.gate, visitorOf(name)))
    this.gate = next.gate
    for (const turn of next.turns) {
      const waiter = this.waiters.get(idOf(turn))
      if (waiter === undefined) throw new Error('the queue names a waiter without a document')
      this.gate = called(this.gate, waiter.visitor, at)
      this.called.push(waiter.visitor.jobId)
      this.waiters.delete(idOf(turn))
    }
    this.gate = withNextCheck(this.gate, at)
  }

  get inside(): string[] {
    return this.gate.holders.map(({ jobId }) => jobId)
  }
}

function idOf({ group, number, priority = 0 }: Turn): string {
  return `${group} ${number} ${priority}`
}

describe('a gate for a number of steps at once', () => {
  const two = { atOnce: 2 }

  it('lets in as many steps as its limit, and the others wait', () => {
    const bank = new Bank()
    const answers = ['a', 'b', 'c'].map((name) => bank.come(arrivalOf(name, two)).kind)
    expect(answers).toEqual(['inside', 'inside', 'waits'])
    expect(bank.inside).toEqual(['a', 'b'])
  })

  it('gives a step that is inside the same answer again, and takes no second place', () => {
    const bank = new Bank()
    bank.come(arrivalOf('a', two))
    const before = bank.gate
    expect(bank.come(arrivalOf('a', two))).toEqual({ kind: 'inside', atMs: now, rate: two })
    expect(bank.gate.holders).toEqual(before.holders)
  })

  it('keeps a waiting step that asks again in its place of the queue', () => {
    const bank = new Bank()
    for (const name of ['a', 'b', 'c', 'd']) bank.come(arrivalOf(name, two))
    const turn = { group: '', number: now }
    expect(bank.come(arrivalOf('c', two, { turn }))).toEqual({ kind: 'waits', turn })
    bank.leave('a')
    expect(bank.inside).toEqual(['b', 'c'])
  })

  it('gives a place that becomes free to the step that waits longest, and not to a step that comes', () => {
    const bank = new Bank()
    for (const name of ['a', 'b', 'c']) bank.come(arrivalOf(name, two))
    bank.leave('a')
    expect(bank.come(arrivalOf('d', two)).kind).toBe('waits')
    expect(bank.inside).toEqual(['b', 'c'])
  })

  it('serves groups in turns, however many steps one of them has', () => {
    const bank = new Bank()
    const one = { atOnce: 1 }
    bank.come(arrivalOf('first', one))
    for (const name of ['x1', 'x2', 'x3', 'x4']) bank.come(arrivalOf(name, one, { group: 'x' }))
    for (const name of ['y1', 'y2']) bank.come(arrivalOf(name, one, { group: 'y' }))
    bank.come(arrivalOf('z1', one, { group: 'z' }))
    let inside = 'first'
    for (let left = 7; left > 0; left -= 1) {
      bank.leave(inside)
      inside = bank.inside[0] ?? ''
    }
    expect(bank.called).toEqual(['x1', 'y1', 'z1', 'x2', 'y2', 'x3', 'x4'])
  })

  it('serves higher priorities first within a group, and equal ones in order of arrival', () => {
    const bank = new Bank()
    bank.come(arrivalOf('first', { atOnce: 1 }))
    for (const [name, priority] of [
      ['a', 0],
      ['b', 5],
      ['c', 0],
      ['d', 5],
      ['e', -1],
    ] as const)
      bank.come(arrivalOf(name, { atOnce: 1 }, { priority }))
    bank.come(arrivalOf('other', { atOnce: 1 }, { group: 'other' }))
    expect(bank.gate.schema).toBe(4)
    while (bank.inside.length > 0) bank.leave(bank.inside[0] ?? '')
    expect(bank.called).toEqual(['b', 'other', 'd', 'a', 'c', 'e'])
    expect(bank.gate.schema).toBe(2)
  })

  it('passes over no queue for longer than 4 turns of its group and one for each other priority (I41)', () => {
    const priorities = fc.integer({ min: 0, max: 3 })
    const steps = fc.array(fc.record({ priority: priorities, leaves: fc.boolean() }), {
      maxLength: 200,
      size: 'max',
    })
    fc.assert(
      fc.property(steps, (all) => {
        const bank = new Bank()
        const passed = new Map<number, number>()
        bank.come(arrivalOf('first', { atOnce: 1 }))
        for (const [index, { priority, leaves }] of all.entries()) {
          bank.come(arrivalOf(`${index}`, { atOnce: 1 }, { priority }))
          const [inside] = bank.inside
          if (!leaves || inside === undefined) continue
          const waiting = bank.gate.lanes.map((lane) => lane.priority ?? 0)
          bank.leave(inside)
          const served = all[Number(bank.called.at(-1))]?.priority ?? 0
          for (const each of waiting) passed.set(each, each === served ? 0 : (passed.get(each) ?? 0) + 1)
          for (const times of passed.values()) expect(times).toBeLessThanOrEqual(maxPassed + 3)
        }
      }),
    )
  })

  it('lets the lowest priority begin although higher ones keep coming (I41)', () => {
    const bank = new Bank()
    bank.come(arrivalOf('first', { atOnce: 1 }))
    bank.come(arrivalOf('low', { atOnce: 1 }))
    for (let index = 0; index < 20; index += 1) {
      bank.come(arrivalOf(`high-${index}`, { atOnce: 1 }, { priority: 9 }))
      bank.leave(bank.inside[0] ?? '')
    }
    expect(bank.called.indexOf('low')).toBe(maxPassed)
  })

  it('shares the queues if more than 100 groups wait, and loses no step', () => {
    const bank = new Bank()
    const one = { atOnce: 1 }
    bank.come(arrivalOf('first', one))
    const names = Array.from({ length: 250 }, (_, index) => `tenant-${index}`)
    for (const name of names) bank.come(arrivalOf(name, one, { group: name }))
    expect(bank.gate.lanes).toHaveLength(100)
    for (let [inside] = bank.inside; inside !== undefined; [inside] = bank.inside) bank.leave(inside)
    expect(bank.called.toSorted()).toEqual(names.toSorted())
  })

  it('follows the rules of the newest job, and never those of an older one', () => {
    const bank = new Bank()
    bank.come(arrivalOf('a', { atOnce: 1 }, { submittedAtMs: 20 }))
    bank.come(arrivalOf('b', { atOnce: 5 }, { submittedAtMs: 10 }))
    expect(bank.inside).toEqual(['a'])
    bank.come(arrivalOf('c', { atOnce: 3 }, { submittedAtMs: 30 }))
    expect(bank.gate.rules).toEqual({ atOnce: 3 })
  })

  it('follows an operator before any job', () => {
    const bank = new Bank()
    bank.gate = { ...bank.gate, operated: { atOnce: 1, at: '', by: 'ann', why: '' } }
    bank.come(arrivalOf('a', two))
    expect(bank.come(arrivalOf('b', two)).kind).toBe('waits')
  })

  it('is checked only while a step waits, or was called and may not know it', () => {
    const bank = new Bank()
    bank.come(arrivalOf('a', { atOnce: 1 }))
    expect(bank.gate.completeByMs).toBeNull()
    bank.come(arrivalOf('b', { atOnce: 1 }))
    expect(bank.gate.completeByMs).toBe(now + 60_000)
    bank.leave('a')
    expect(bank.gate.completeByMs).toBe(now + 30_000)
    const check = { visitor: visitorOf('b'), untilMs: now + 90_000 }
    bank.gate = checkedLater(bank.gate, { ...check, standing: 'inside' })
    expect(withNextCheck(bank.gate, now).completeByMs).toBeNull()
  })

  it.each(['coming', 'waiting', 'underWay'] as const)(
    'is checked again for a called step that was found %s, although none waits behind it',
    (standing) => {
      const bank = new Bank()
      for (const name of ['a', 'b']) bank.come(arrivalOf(name, { atOnce: 1 }))
      bank.leave('a')
      bank.gate = checkedLater(bank.gate, { visitor: visitorOf('b'), untilMs: now + 60_000, standing })
      expect(withNextCheck(bank.gate, now).completeByMs).toBe(now + 60_000)
    },
  )

  it('expires when no step is there, unless an operator has set it', () => {
    const bank = new Bank()
    bank.come(arrivalOf('a', two))
    expect(bank.gate.ttl).toBe(-1)
    bank.leave('a')
    expect(bank.gate.ttl).toBe(86_400)
    bank.gate = { ...bank.gate, operated: { atOnce: 1, at: '', by: 'ann', why: '' } }
    expect(withNextCheck(bank.gate, now).ttl).toBe(-1)
  })

  it('is never over its limit, keeps the order of each group and leaves no step behind (I25, I26)', () => {
    const event = fc.record({
      kind: fc.constantFrom('come', 'come', 'leave'),
      step: fc.nat({ max: 30 }),
      group: fc.constantFrom('x', 'y', 'z'),
      atOnce: fc.integer({ min: 1, max: 3 }),
    })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 120 }), (events) => {
        const bank = new Bank()
        const order: Record<string, string[]> = { x: [], y: [], z: [] }
        const groupOf = new Map<string, string>()
        const gone = new Set<string>()
        for (const { kind, step, group, atOnce } of events) {
          const name = `${step}`
          if (kind === 'leave') {
            if (bank.inside.includes(name)) gone.add(name)
            bank.leave(name)
          } else if (!groupOf.has(name)) {
            groupOf.set(name, group)
            const before = bank.gate.holders.length
            const answer = bank.come(arrivalOf(name, { atOnce }, { group }))
            if (answer.kind === 'waits') order[group]?.push(name)
            expect(bank.gate.holders.length).toBeLessThanOrEqual(Math.max(before, atOnce))
          }
          if (bank.gate.lanes.length > 0) expect(bank.gate.completeByMs).not.toBeNull()
        }
        for (const group of ['x', 'y', 'z']) {
          const served = bank.called.filter((name) => groupOf.get(name) === group)
          expect(served).toEqual(order[group]?.slice(0, served.length))
        }
        for (let [inside] = bank.inside; inside !== undefined; [inside] = bank.inside) {
          gone.add(inside)
          bank.leave(inside)
        }
        expect(gone.size).toBe(groupOf.size)
        expect(bank.gate.lanes).toEqual([])
      }),
    )
  })
})

describe('a gate with a rate', () => {
  const rate = { perSecond: 10, burst: 3 }

  it('lets a burst begin at once, and reserves the times of the others', () => {
    const bank = new Bank()
    const times = ['a', 'b', 'c', 'd', 'e'].map((name) => bank.come(arrivalOf(name, rate)))
    expect(times).toEqual([0, 0, 0, 100, 200].map((ms) => ({ kind: 'inside', atMs: now + ms, rate })))
    expect(bank.gate.holders).toEqual([])
  })

  it('has as many free as the burst after a quiet time, and not more', () => {
    const bank = new Bank()
    bank.come(arrivalOf('a', rate))
    const times = ['b', 'c', 'd', 'e'].map((name) => bank.come(arrivalOf(name, rate), now + 60_000))
    expect(times).toEqual([0, 0, 0, 100].map((ms) => ({ kind: 'inside', atMs: now + 60_000 + ms, rate })))
  })

  it('does not count an attempt twice whose time is reserved', () => {
    const bank = new Bank()
    bank.come(arrivalOf('a', rate))
    const { busyUntilMs } = bank.gate
    const again = bank.come(arrivalOf('a', rate, { reservedMs: now + 50 }))
    expect(again).toEqual({ kind: 'inside', atMs: now + 50 })
    expect(bank.gate.busyUntilMs).toBe(busyUntilMs)
  })

  it('lets the attempts of a second begin at once if no burst is given', () => {
    const bank = new Bank()
    const times = ['a', 'b', 'c'].map((name) => bank.come(arrivalOf(name, { perSecond: 2 })))
    expect(times).toMatchObject([0, 0, 500].map((ms) => ({ kind: 'inside', atMs: now + ms })))
  })

  it('counts only steps inside if it also limits the number at once', () => {
    const bank = new Bank()
    bank.come(arrivalOf('a', { atOnce: 1, perSecond: 1 }))
    const { busyUntilMs } = bank.gate
    expect(bank.come(arrivalOf('b', { atOnce: 1, perSecond: 1 })).kind).toBe('waits')
    expect(bank.gate.busyUntilMs).toBe(busyUntilMs)
    expect(holderOf(bank.gate, visitorOf('b'))).toBeUndefined()
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeadlineIndex, type Deadline } from '../../../../src/sas/timing/deadline-index.js'

const at = (id: string, dueMs: number, leaseToken: string | null = '0'): Deadline => ({
  pk: 'job-1',
  id,
  dueMs,
  leaseToken,
})

describe('the deadline index', () => {
  it('answers what is due, earliest first, once, and not more than asked for', () => {
    const index = new DeadlineIndex()
    for (const deadline of [at('c', 30), at('a', 10), at('b', 20), at('d', 40)]) index.set(deadline)
    expect(index.takeDue(30, 2).map(({ id }) => id)).toEqual(['a', 'b'])
    expect(index.takeDue(30, 2).map(({ id }) => id)).toEqual(['c'])
    expect(index.takeDue(30, 2)).toEqual([])
    expect(index.next()).toBe(40)
    expect(index.size).toBe(1)
  })

  it('forgets what came by a lease that is lost, not what a sweep found', () => {
    const index = new DeadlineIndex()
    for (const deadline of [at('a', 1, '0'), at('b', 2, '1'), at('c', 3, null)]) index.set(deadline)
    index.forgetLease('0')
    expect(index.takeDue(9, 9).map(({ id }) => id)).toEqual(['b', 'c'])
  })

  it('tells apart the same id in two partitions', () => {
    const index = new DeadlineIndex()
    index.set(at('a', 1))
    index.set({ ...at('a', 2), pk: 'job-2' })
    index.remove({ pk: 'job-1', id: 'a' })
    expect(index.takeDue(9, 9).map(({ pk }) => pk)).toEqual(['job-2'])
  })

  it('keeps no more of what is over than of what is waited for: a million finished steps took 202 MB until their day was over', () => {
    const index = new DeadlineIndex()
    const dayMs = 86_400_000
    for (let step = 0; step < 10; step += 1) index.set(at(`open ${step}`, dayMs))
    for (let step = 0; step < 10_000; step += 1) {
      index.set(at(`${step}`, dayMs + step))
      index.remove(at(`${step}`, 0))
      expect(index.entries).toBeLessThanOrEqual(2 * index.size + 65)
    }
    for (let renewal = 0; renewal < 1_000; renewal += 1) index.set(at('open 0', dayMs + renewal))
    expect(index.entries).toBeLessThanOrEqual(2 * index.size + 65)
    index.forgetLease('0')
    expect([index.size, index.next()]).toEqual([0, null])
  })

  it('behaves as a sorted list that is searched from the front', () => {
    const step = fc.constantFrom('a', 'b', 'c', 'd')
    const lease = fc.constantFrom('0', '1', null)
    const command = fc.oneof(
      fc.tuple(fc.constant('set' as const), step, fc.nat(20), lease),
      fc.tuple(fc.constant('remove' as const), step),
      fc.tuple(fc.constant('forget' as const), fc.constantFrom('0', '1')),
      fc.tuple(fc.constant('take' as const), fc.nat(20), fc.nat(3)),
    )
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        const index = new DeadlineIndex()
        let sorted: Deadline[] = []
        for (const command of commands) {
          if (command[0] === 'set') {
            const deadline = at(command[1], command[2], command[3])
            index.set(deadline)
            sorted = [...sorted.filter(({ id }) => id !== deadline.id), deadline]
          } else if (command[0] === 'remove') {
            index.remove({ pk: 'job-1', id: command[1] })
            sorted = sorted.filter(({ id }) => id !== command[1])
          } else if (command[0] === 'forget') {
            index.forgetLease(command[1])
            sorted = sorted.filter(({ leaseToken }) => leaseToken !== command[1])
          } else {
            const due = index.takeDue(command[1], command[2])
            const isDue = sorted.filter(({ dueMs }) => dueMs <= command[1])
            expect(due.map(({ dueMs }) => dueMs)).toEqual(
              isDue.map(({ dueMs }) => dueMs).slice(0, command[2]),
            )
            sorted = sorted.filter((deadline) => !due.includes(deadline))
          }
          sorted.sort((one, other) => one.dueMs - other.dueMs)
          expect(index.next()).toBe(sorted[0]?.dueMs ?? null)
          expect(index.size).toBe(sorted.length)
        }
      }),
    )
  })
})

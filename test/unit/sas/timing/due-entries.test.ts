import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DueEntries, type DueEntry } from '../../../../src/sas/timing/due-entries.js'

const at = (id: string, dueMs: number, leaseToken: string | null = '0'): DueEntry => ({
  pk: 'job-1',
  id,
  dueMs,
  leaseToken,
})

describe('the list of waiting entries', () => {
  it('returns due entries once, earliest first, and no more than asked for', () => {
    const entries = new DueEntries()
    for (const deadline of [at('c', 30), at('a', 10), at('b', 20), at('d', 40)]) entries.note(deadline)
    expect(entries.takeDue(30, 2).map(({ id }) => id)).toEqual(['a', 'b'])
    expect(entries.takeDue(30, 2).map(({ id }) => id)).toEqual(['c'])
    expect(entries.takeDue(30, 2)).toEqual([])
    expect(entries.next()).toBe(40)
  })

  it('forgets the entries of a lost lease, but not those that a sweep found', () => {
    const entries = new DueEntries()
    for (const deadline of [at('a', 1, '0'), at('b', 2, '1'), at('c', 3, null)]) entries.note(deadline)
    entries.forgetLease('0')
    expect(entries.takeDue(9, 9).map(({ id }) => id)).toEqual(['b', 'c'])
  })

  it('gives no second entry of a document while work on it goes on after its lease was lost', () => {
    const entries = new DueEntries()
    entries.note(at('a', 1))
    const due = entries.takeDue(9, 9)
    entries.forgetLease('0')
    entries.note(at('a', 2))
    expect(entries.takeDue(9, 9)).toEqual([])
    entries.end(due, [at('a', 50)])
    expect(entries.takeDue(9, 9)).toEqual([at('a', 2)])
  })

  it('distinguishes the same id in two partitions', () => {
    const entries = new DueEntries()
    entries.note(at('a', 1))
    entries.note({ ...at('a', 2), pk: 'job-2' })
    entries.forget({ pk: 'job-1', id: 'a' })
    expect(entries.takeDue(9, 9).map(({ pk }) => pk)).toEqual(['job-2'])
  })

  // Without this, a million finished steps took 202 MB until their day was over.
  it('keeps no more finished entries in its queue than waiting ones, apart from a few', () => {
    const entries = new DueEntries()
    const dayMs = 86_400_000
    for (let step = 0; step < 10; step += 1) entries.note(at(`open ${step}`, dayMs))
    for (let step = 0; step < 10_000; step += 1) {
      entries.note(at(`${step}`, dayMs + step))
      entries.forget(at(`${step}`, 0))
      expect(entries.queued).toBeLessThanOrEqual(2 * entries.size + 65)
    }
    for (let renewal = 0; renewal < 1_000; renewal += 1) entries.note(at('open 0', dayMs + renewal))
    expect(entries.queued).toBeLessThanOrEqual(2 * entries.size + 65)
    entries.forgetLease('0')
    expect([entries.size, entries.next()]).toEqual([0, null])
  })

  it('behaves like a sorted list that is searched from the front', () => {
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
        const entries = new DueEntries()
        let sorted: DueEntry[] = []
        for (const command of commands) {
          if (command[0] === 'set') {
            const deadline = at(command[1], command[2], command[3])
            entries.note(deadline)
            sorted = [...sorted.filter(({ id }) => id !== deadline.id), deadline]
          } else if (command[0] === 'remove') {
            entries.forget({ pk: 'job-1', id: command[1] })
            sorted = sorted.filter(({ id }) => id !== command[1])
          } else if (command[0] === 'forget') {
            entries.forgetLease(command[1])
            sorted = sorted.filter(({ leaseToken }) => leaseToken !== command[1])
          } else {
            const due = entries.takeDue(command[1], command[2])
            entries.end(due, [])
            const isDue = sorted.filter(({ dueMs }) => dueMs <= command[1])
            expect(due.map(({ dueMs }) => dueMs)).toEqual(
              isDue.map(({ dueMs }) => dueMs).slice(0, command[2]),
            )
            sorted = sorted.filter((deadline) => !due.includes(deadline))
          }
          sorted.sort((one, other) => one.dueMs - other.dueMs)
          expect(entries.next()).toBe(sorted[0]?.dueMs ?? null)
          expect(entries.size).toBe(sorted.length)
        }
      }),
    )
  })
})

describe('the list of entries under way', () => {
  it('returns an entry again only after its end, and prefers news to the next due time', () => {
    const entries = new DueEntries()
    entries.note(at('a', 10))
    const due = entries.takeDue(10, 9)
    entries.note(at('a', 11))
    entries.note(at('a', 12))
    expect(entries.takeDue(99, 9)).toEqual([])
    entries.end(due, [at('a', 50)])
    expect(entries.takeDue(99, 9)).toEqual([at('a', 12)])
  })

  it('compares an entry with the known one: waiting, under way, noted meanwhile or due again', () => {
    const known: (number | null)[] = []
    const entries = new DueEntries<DueEntry>((entry, before) => {
      known.push(before?.dueMs ?? null)
      return entry.dueMs !== 14
    })
    entries.note(at('a', 10))
    entries.note(at('a', 14))
    entries.note(at('a', 11))
    const due = entries.takeDue(11, 9)
    entries.note(at('a', 12))
    entries.note(at('a', 13))
    entries.end(due, [at('a', 50)])
    expect(known).toEqual([null, 10, 10, 11, 12, 50])
    expect(entries.takeDue(99, 9)).toEqual([at('a', 13)])
  })

  it('forgets the entries of a lease, even those under way, but not those that a sweep found', () => {
    const entries = new DueEntries()
    for (const entry of [at('a', 10), at('b', 10, null), at('c', 20), at('d', 30, '1')]) entries.note(entry)
    const due = entries.takeDue(10, 9)
    entries.note(at('a', 40))
    entries.forgetLease('0')
    entries.end(due, [at('a', 50), at('b', 50, null)])
    expect(entries.takeDue(99, 9)).toEqual([at('d', 30, '1'), at('b', 50, null)])
  })

  it('forgets a waiting entry, and news about one under way', () => {
    const entries = new DueEntries()
    for (const entry of [at('a', 10), at('b', 20)]) entries.note(entry)
    const due = entries.takeDue(10, 9)
    entries.note(at('a', 30))
    for (const id of ['a', 'b']) entries.forget({ pk: 'job-1', id })
    entries.end(due, [])
    expect(entries.next()).toBeNull()
  })
})

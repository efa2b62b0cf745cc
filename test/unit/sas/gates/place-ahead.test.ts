import { describe, expect, it } from 'vitest'
import { emptyGate } from '../../../../src/sas/gates/gate.js'
import { placeAt, readPlaceAtLimit } from '../../../../src/sas/gates/place-ahead.js'
import type { GateDocument } from '../../../../src/sas/model/gate-documents.js'
import { aJob, aStep, asStored } from '../../../support/a-job.js'

const now = 1_000_000
const holder = { pk: 'p', jobId: 'j', stepId: 's', entry: 0, untilMs: now }

/** A full gate with two places, and the queues of these groups, the next one first. */
function fullGate(lanes: GateDocument['lanes']): GateDocument {
  return { ...emptyGate('bank', now), rules: { atOnce: 2 }, holders: [holder, holder], lanes }
}

/** Returns the number of waiters before the one with this number in a group. */
function ahead(lanes: GateDocument['lanes'], group: string, number: number): number | null {
  return placeAt(fullGate(lanes), { group, number }).ahead
}

describe('the number of steps ahead of a waiter', () => {
  it('is its distance from the first waiter in a single queue', () => {
    const lanes = [{ group: '', first: 10, next: 30 }]
    expect([10, 11, 24].map((number) => ahead(lanes, '', number))).toEqual([0, 1, 14])
  })

  it('counts one waiter of each other group for each round, as long as the group has one', () => {
    const lanes = [
      { group: 'a', first: 5, next: 7 },
      { group: 'b', first: 1, next: 9 },
      { group: 'c', first: 3, next: 4 },
    ]
    // The order is a5 b1 c3 a6 b2 b3 b4 …
    expect(ahead(lanes, 'a', 5)).toBe(0)
    expect(ahead(lanes, 'b', 1)).toBe(1)
    expect(ahead(lanes, 'c', 3)).toBe(2)
    expect(ahead(lanes, 'a', 6)).toBe(3)
    expect([2, 3, 4].map((number) => ahead(lanes, 'b', number))).toEqual([4, 5, 6])
  })

  it('is unknown for a waiter that was called', () => {
    expect(ahead([{ group: '', first: 10, next: 30 }], '', 9)).toBeNull()
    expect(placeAt(fullGate([]), null)).toEqual({ inside: 2, atOnce: 2, ahead: null, set: null })
  })

  it('names the operator who has set the limit', () => {
    const operated = { atOnce: 0, at: '2026-01-01', by: 'ann', why: 'down' }
    expect(placeAt({ ...fullGate([]), operated }, null)).toMatchObject({
      atOnce: 0,
      set: { at: '2026-01-01', by: 'ann', why: 'down' },
    })
  })
})

describe('the place of a job at a limit', () => {
  const place = {
    entry: 0,
    gates: [],
    turn: { group: '', number: 11 },
    since: '2026-01-01',
    reservedMs: null,
  }
  const waiting = aStep({ stepId: 'b', processState: 'Processing', place: { ...place, waitsFor: 'bank' } })
  const job = aJob({ stepIds: ['a', 'b'] })
  const read: string[] = []
  const gate = fullGate([{ group: '', first: 10, next: 12 }])
  const store = {
    read: ({ id }: { readonly id: string }) => {
      read.push(id)
      return Promise.resolve(id === gate.id ? asStored(gate) : null)
    },
  }

  it('is read for the first step that waits', async () => {
    expect(await readPlaceAtLimit(store, job, [waiting])).toMatchObject({ stepId: 'b', ahead: 1, inside: 2 })
    expect(read).toEqual([gate.id])
  })

  it('costs no request if no step waits for room, or if the job has ended', async () => {
    read.length = 0
    const rated = { ...waiting, place: { ...place, waitsFor: null } }
    const inside = { ...waiting, place: { ...place, waitsFor: 'bank', since: null } }
    for (const steps of [[], [rated], [inside], [aStep({ stepId: 'a' })]])
      expect(await readPlaceAtLimit(store, job, steps)).toBeNull()
    expect(await readPlaceAtLimit(store, { ...job, endedAt: '2026' }, [waiting])).toBeNull()
    expect(read).toEqual([])
  })
})

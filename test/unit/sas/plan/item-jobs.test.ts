import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  itemsToSubmit,
  noItemsYet,
  withEnds,
  withSubmitted,
  type ItemEnd,
} from '../../../../src/sas/plan/item-jobs.js'

const idOf = (index: number): string => `night/each/${index}`
const failed = (message: string): ItemEnd => ({ kind: 'failed', message })

describe('the count of a large list (I32)', () => {
  it('is over at once if there are no items', () => {
    expect(noItemsYet(0)).toMatchObject({ of: 0, isOver: true })
    expect(itemsToSubmit(noItemsYet(0), 5)).toEqual([])
  })

  it('submits in the order of the list, at most atOnce at a time', () => {
    const begun = withSubmitted(noItemsYet(5), itemsToSubmit(noItemsYet(5), 3))
    expect(begun).toMatchObject({ next: 3, underWay: [0, 1, 2], isOver: false })
    expect(itemsToSubmit(begun, 3)).toEqual([])
    expect(itemsToSubmit(begun, 2)).toEqual([])
    const one = withEnds(begun, new Map([[1, { kind: 'done' }]]), idOf)
    expect(itemsToSubmit(one, 3)).toEqual([3])
    expect(itemsToSubmit(one, 9)).toEqual([3, 4])
  })

  it('counts each index once, whatever ends and whatever is told twice', () => {
    const ends = fc.array(fc.array(fc.tuple(fc.nat(60), fc.boolean())), { maxLength: 30 })
    const check = (of: number, atOnce: number, rounds: [number, boolean][][]): void => {
      let state = noItemsYet(of)
      const counted = new Map<number, boolean>()
      const round = (found: [number, boolean][]): void => {
        state = withSubmitted(state, itemsToSubmit(state, atOnce))
        expect(state.underWay.length).toBeLessThanOrEqual(atOnce)
        const newest = new Map(found)
        for (const index of state.underWay) {
          const isDone = newest.get(index)
          if (isDone !== undefined) counted.set(index, isDone)
        }
        const told = [...newest].map(([index, isDone]): [number, ItemEnd] => [
          index,
          isDone ? { kind: 'done' } : failed('no'),
        ])
        state = withEnds(state, new Map(told), idOf)
        const done = [...counted.values()].filter((isDone) => isDone).length
        expect([state.done, state.failed]).toEqual([done, counted.size - done])
        expect(state.next).toBe(counted.size + state.underWay.length)
        expect(state.isOver).toBe(counted.size === of)
      }
      rounds.forEach(round)
      for (let left = 0; left <= of && !state.isOver; left += 1)
        round(state.underWay.concat(itemsToSubmit(state, atOnce)).map((index) => [index, true]))
      expect(state).toMatchObject({ isOver: true, underWay: [], next: of })
    }
    fc.assert(fc.property(fc.nat(60), fc.integer({ min: 1, max: 20 }), ends, check))
  })

  it('names the first 50 failures, each with a message of at most 200 characters', () => {
    const all = Array.from({ length: 70 }, (_, index) => index)
    const begun = withSubmitted(noItemsYet(70), all)
    const state = withEnds(begun, new Map(all.map((index) => [index, failed('x'.repeat(300))])), idOf)
    expect(state).toMatchObject({ failed: 70, done: 0, isOver: true })
    expect(state.failures).toHaveLength(50)
    expect(state.failures[49]).toEqual({ index: 49, jobId: 'night/each/49', message: 'x'.repeat(200) })
  })
})

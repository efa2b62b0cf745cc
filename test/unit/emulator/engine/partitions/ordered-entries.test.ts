import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OrderedEntries } from '../../../../../src/emulator/engine/partitions/ordered-entries.js'

interface Entry {
  readonly key: number
  readonly value: string
}

const keyOf = ({ key }: Entry): number => key

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('append' as const), gap: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), at: fc.nat(2_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace' as const), at: fc.nat(2_000) }) },
)

describe('the ordered entries of a log', () => {
  it('equal those of a plain map in the order of keys, from any start', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 1_500 }), fc.nat(2_000), (steps, from) => {
        const entries = new OrderedEntries<Entry>(keyOf)
        const model = new Map<number, string>()
        let last = 0
        for (const action of steps) {
          if (action.kind === 'append') {
            last += action.gap
            entries.append({ key: last, value: `v${last}` })
            model.set(last, `v${last}`)
          } else if (action.kind === 'delete') {
            entries.delete(action.at)
            model.delete(action.at)
          } else {
            entries.replace({ key: action.at, value: 'replaced' })
            if (model.has(action.at)) model.set(action.at, 'replaced')
          }
        }
        const expected = [...model].filter(([key]) => key > from).map(([, value]) => value)
        expect(Array.from(entries.after(from), ({ value }) => value)).toEqual(expected)
        expect(entries.size).toBe(model.size)
      }),
      { numRuns: 60 },
    )
  })

  it('reject an entry that is not after the last one', () => {
    const entries = new OrderedEntries<Entry>(keyOf)
    entries.append({ key: 5, value: 'five' })
    expect(() => {
      entries.append({ key: 5, value: 'again' })
    }).toThrow(RangeError)
  })

  it('skip removed entries without visiting them', () => {
    const entries = new OrderedEntries<number>((key) => key)
    for (let key = 1; key <= 100_000; key += 1) entries.append(key)
    for (let key = 1; key < 100_000; key += 1) entries.delete(key)
    let steps = 0
    for (const _value of entries.after(0)) steps += 1
    expect(steps).toBe(1)
    expect(entries.lastKey).toBe(100_000)
  })
})

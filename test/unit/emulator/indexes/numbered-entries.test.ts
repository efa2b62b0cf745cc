import fc from 'fast-check'
import { expect, it } from 'vitest'
import { NumberedEntries } from '../../../../src/emulator/indexes/numbered-entries.js'

it('holds what a map holds', () => {
  const number = fc.constantFrom(1, 2, 511, 512, 513, 1_024, 5_000_000_000, 2 ** 32 + 1)
  const step = fc.record({ number, value: fc.option(fc.nat(9)) })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const entries = new NumberedEntries<number>()
      const expected = new Map<number, number>()
      for (const one of steps) {
        if (one.value === null) {
          entries.delete(one.number)
          expected.delete(one.number)
        } else {
          entries.set(one.number, one.value)
          expected.set(one.number, one.value)
        }
        expect(entries.size).toBe(expected.size)
        expect(entries.get(one.number)).toBe(expected.get(one.number))
      }
      for (const [name, value] of expected) expect(entries.get(name)).toBe(value)
    }),
  )
})

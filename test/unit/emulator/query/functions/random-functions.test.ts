import { describe, expect, it } from 'vitest'
import { randFunction } from '../../../../../src/emulator/query/functions/numbers/random-functions.js'
import { compileQuery } from '../../../../../src/emulator/query/index.js'

describe('RAND', () => {
  it('returns the next number of the given source', () => {
    const numbers = [0.25, 0.75]
    const { evaluate } = randFunction({ next: () => numbers.shift() ?? 0 })
    expect([evaluate(), evaluate()]).toEqual([0.25, 0.75])
  })

  it('returns another number from 0 to 1 for each call and document', () => {
    const rows = compileQuery('SELECT VALUE [RAND(), RAND()] FROM c', []).execute([{}, {}, {}])
    const numbers = rows.flat() as number[]
    expect(new Set(numbers).size).toBe(6)
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isWithinEdits } from '../../../../../../src/emulator/query/functions/full-text/edits.js'

/** Computes the edits between two words from all their beginnings. */
function editsBetween(word: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let at = 1; at <= word.length; at += 1) {
    const next = [at]
    for (let to = 1; to <= other.length; to += 1) {
      const replaced = (row[to - 1] ?? 0) + (word[at - 1] === other[to - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}

const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })

describe('isWithinEdits', () => {
  it('agrees with the full table of edits', () => {
    const property = fc.property(words, words, fc.integer({ min: 0, max: 2 }), (word, other, most) => {
      expect(isWithinEdits(word, other, most)).toBe(editsBetween(word, other) <= most)
    })
    fc.assert(property, { numRuns: 3000, seed: 1 })
  })
})

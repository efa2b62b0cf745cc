import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import type { StateWrite } from '../../../../src/sas/store/state-store.js'
import {
  bytesOf,
  exceeds,
  fits,
  grouped,
  maxOperations,
  maxTransactionBytes,
} from '../../../../src/sas/store/transaction.js'

function creating(index: number, bytes: number): StateWrite {
  return { kind: 'create', document: { id: `d${index}`, pk: 'p', text: 'x'.repeat(bytes) } }
}

describe('groups of writes', () => {
  it('fit into a transaction beside the document, and hold every write once, in order (I16)', () => {
    const sizes = fc.array(fc.oneof(fc.nat(500), fc.integer({ min: 100_000, max: 900_000 })), {
      maxLength: 250,
    })
    fc.assert(
      fc.property(sizes, fc.nat(500_000), (bytes, besideBytes) => {
        const writes = bytes.map((size, index) => creating(index, size))
        const beside = creating(-1, besideBytes)
        const groups = grouped(writes, beside.document)
        expect(groups.flat()).toEqual(writes)
        for (const group of groups) {
          expect(group.length).toBeLessThan(maxOperations)
          expect(bytesOf([beside.document]) + bytesOf(group)).toBeLessThan(maxTransactionBytes + 1_000)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('are as few as possible', () => {
    const groups = grouped(
      Array.from({ length: 198 }, (_, index) => creating(index, 1)),
      { id: 'j', pk: 'p' },
    )
    expect(groups.map((group) => group.length)).toEqual([99, 99])
  })

  it('fill a transaction to its last byte (I16)', () => {
    const beside = { id: 'j', pk: 'p' }
    const [first, second] = [creating(0, 900_000), creating(1, 1)]
    const leftBytes = maxTransactionBytes - bytesOf(beside) - bytesOf(first) - bytesOf(second)
    expect(grouped([first, creating(1, leftBytes + 1)], beside)).toHaveLength(1)
    expect(grouped([first, creating(1, leftBytes + 2)], beside)).toHaveLength(2)
  })

  it('fit with at most 100 writes', () => {
    const writes = Array.from({ length: 100 }, (_, index) => creating(index, 1))
    expect(fits(writes)).toBe(true)
    expect(fits([...writes, creating(100, 1)])).toBe(false)
  })
})

describe('the check of a size limit', () => {
  it.each([[{}], [{ '': '' }], [{ a: '', b: '' }], [[]], [['']], [['', '']], ['']])(
    'is exact to the byte for small values: %j (I16)',
    (value) => {
      const bytes = bytesOf(value)
      expect([exceeds(value, bytes - 1), exceeds(value, bytes)]).toEqual([true, false])
    },
  )

  it('is exact to the byte, however long the characters are as JSON (I16)', () => {
    const characters = fc.constantFrom('a', 'ä', '漢', '😀', '"', '\\', '\u0001', '\ud800')
    const text = fc.string({ unit: characters, maxLength: 40 })
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(text, tie('value'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(value, (any) => {
        const bytes = bytesOf(any)
        expect([exceeds(any, bytes - 1), exceeds(any, bytes)]).toEqual([true, false])
      }),
    )
  })
})

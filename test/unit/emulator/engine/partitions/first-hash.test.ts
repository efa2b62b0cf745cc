import { createRequire } from 'node:module'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstEffectiveKey } from '../../../../../src/emulator/engine/partitions/first-hash.js'
import {
  cutEvenly,
  keySpaceOf,
  middleOf,
  widthOf,
} from '../../../../../src/emulator/engine/partitions/key-space.js'

/** The SDK's own hash, which it does not export. */
const { hashV1PartitionKey } = createRequire(import.meta.url)(
  '../../../../../node_modules/@azure/cosmos/dist/commonjs/utils/hashing/v1.js',
) as { hashV1PartitionKey: (key: readonly unknown[]) => string }

const value = fc.oneof(
  fc.string({ maxLength: 120 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
)
const space = keySpaceOf({ version: 1 })

describe('an effective partition key of version 1', () => {
  it.each([
    ['redmond', '05C1EFE313830C087366656E706F6500'],
    [5, '05C1D9C1C5517C05C014'],
    [true, '05C1D7C5A903D803'],
    [undefined, '05C1D529E345DC00'],
  ])('of %j is the hash that the service computes', (key, expected) => {
    expect(firstEffectiveKey([key])).toBe(expected)
  })

  it('equals the SDK’s hash for any value', () => {
    fc.assert(
      fc.property(value, (key) => {
        expect(firstEffectiveKey([key])).toBe(hashV1PartitionKey([key]))
      }),
      { numRuns: 3_000 },
    )
  })

  it('lies in exactly one of the ranges into which its space is cut', () => {
    const ranges = cutEvenly(3, space)
    fc.assert(
      fc.property(value, (key) => {
        const place = firstEffectiveKey([key])
        expect(ranges.filter(({ min, max }) => place >= min && place < max)).toHaveLength(1)
      }),
    )
  })
})

describe('the key space of version 1', () => {
  it('is cut where the service cuts it', () => {
    const bounds = cutEvenly(4, space).map(({ min }) => min)
    expect(bounds).toEqual(['', '05C1CFFFFFFFF8', '05C1DFFFFFFFFC', '05C1E7FFFFFFFE'])
  })

  it('has halves of equal width', () => {
    const range = { min: '', max: '05C1DFFFFFFFFC' }
    const middle = middleOf(range, space)
    expect(middle).toBe('05C1CFFFFFFFF8')
    const halves = [
      { ...range, max: middle },
      { ...range, min: middle },
    ].map((half) => widthOf(half, space))
    expect(halves).toEqual([0x3fffffffn, 0x40000000n])
  })
})

import { createRequire } from 'node:module'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  effectivePartitionKey,
  type PartitionKeyValue,
} from '../../../../../src/emulator/engine/partitions/effective-partition-key.js'

/** The SDK's own hash, which it does not export. */
const { hashV2PartitionKey } = createRequire(import.meta.url)(
  '../../../../../node_modules/@azure/cosmos/dist/commonjs/utils/hashing/v2.js',
) as { hashV2PartitionKey: (key: readonly unknown[]) => string }

const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
)

describe('an effective partition key', () => {
  it.each<[PartitionKeyValue, string]>([
    ['redmond', '22E342F38A486A088463DFF7838A5963'],
    [5, '19C08621B135968252FB34B4CF66F811'],
    [true, '0E711127C5B5A8E4726AC6DD306A3E59'],
    [null, '378867E4430E67857ACE5C908374FE16'],
    [undefined, '11622DAA78F835834610ABE56EFF5CB5'],
    ['', '32E9366E637A71B4E710384B2F4970A0'],
  ])('of %j is the hash that the service computes', (key, expected) => {
    expect(effectivePartitionKey([key])).toBe(expected)
  })

  it('equals the SDK’s hash for any value', () => {
    fc.assert(
      fc.property(value, (key) => {
        expect(effectivePartitionKey([key])).toBe(hashV2PartitionKey([key]))
      }),
      { numRuns: 5_000 },
    )
  })

  it('lies in the interval of its prefix', () => {
    fc.assert(
      fc.property(value, value, (first, second) => {
        const prefix = effectivePartitionKey([first])
        const whole = effectivePartitionKey([first, second])
        expect(whole >= prefix && whole < `${prefix}FF`).toBe(true)
      }),
    )
  })
})

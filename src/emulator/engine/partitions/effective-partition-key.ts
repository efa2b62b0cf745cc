import type { KeyRange } from './key-ranges.js'
import { murmur3 } from './murmur3.js'

/** One component of a partition key, or `undefined` if the document lacks the property. */
export type PartitionKeyValue = string | number | boolean | null | undefined

/** Checks whether a value may be one component of a partition key. */
export function isPartitionKeyValue(value: unknown): value is PartitionKeyValue {
  return value === undefined || value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** The tag that precedes each kind of value in the bytes to hash. */
const tag = { undefined: 0x00, null: 0x01, false: 0x02, true: 0x03, number: 0x05, string: 0x08 } as const

/** The byte that ends a string, so that no encoded string is a prefix of another. */
const stringEnd = 0xff

/** Clears the two highest bits, so that hashes use only the first quarter of the key space. */
const usedBits = 0x3fff_ffff_ffff_ffffn

/**
 * Returns the position of a partition key in the key space (version 2): 32 upper-case hexadecimal digits per
 * component. Keys with the same first levels form a contiguous interval.
 */
export function effectivePartitionKey(values: readonly PartitionKeyValue[]): string {
  return values.map(hashed).join('')
}

/** Returns the range of all keys that begin with these values. No hash begins with FF. */
export function keyRangeOfPrefix(values: readonly PartitionKeyValue[]): KeyRange {
  const min = effectivePartitionKey(values)
  return { min, max: `${min}FF` }
}

function hashed(value: PartitionKeyValue): string {
  const [first, second] = murmur3(encoded(value))
  return hex(second & usedBits) + hex(first)
}

function hex(word: bigint): string {
  return word.toString(16).toUpperCase().padStart(16, '0')
}

function encoded(value: PartitionKeyValue): Uint8Array {
  if (value === undefined) return Uint8Array.of(tag.undefined)
  if (value === null) return Uint8Array.of(tag.null)
  if (typeof value === 'boolean') return Uint8Array.of(value ? tag.true : tag.false)
  if (typeof value === 'string') {
    const text = Buffer.from(value, 'utf8')
    return Buffer.concat([Buffer.of(tag.string), text, Buffer.of(stringEnd)])
  }
  const bytes = Buffer.alloc(9)
  bytes[0] = tag.number
  bytes.writeDoubleLE(value, 1)
  return bytes
}

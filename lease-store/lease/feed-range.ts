import type { FeedRange } from './lease.js'

const epk = /^([0-9A-F]{2})*$/

/** Returns whether both bounds are effective partition keys and the interval is not empty. */
export function isEpkRange(range: FeedRange): boolean {
  return epk.test(range.min) && epk.test(range.max) && range.min < range.max
}

/** The number of hexadecimal digits of the hash in an effective partition key. The hash has 16 bytes. */
const hashDigits = 32

/** The hash of every key is less than this number. The bound `"FF"` only means "to the end". */
const hashesEnd = 1n << 126n

/**
 * Cuts `range` into `count` parts with about the same number of keys each, or into fewer parts if the range
 * is too narrow. The parts are even for containers with the current hash, whose two highest bits are 0. For
 * the older hash, the parts are uneven, but they still cover the whole range.
 */
export function cutRange(range: FeedRange, count: number): FeedRange[] {
  const min = hashAt(range.min)
  const end = range.max === 'FF' && min < hashesEnd ? hashesEnd : hashAt(range.max)
  const cuts = Array.from({ length: count - 1 }, (_, index) =>
    epkAt(min + ((end - min) * BigInt(index + 1)) / BigInt(count)),
  )
  const bounds = [range.min, ...new Set(cuts.filter((cut) => cut > range.min)), range.max]
  return bounds.slice(1).map((max, index) => ({ min: bounds[index] ?? range.min, max }))
}

/**
 * Returns the approximate number of keys in a range. The number for a part is never larger than the number
 * for the whole range.
 */
export function keyCount({ min, max }: FeedRange): bigint {
  return hashAt(max) - hashAt(min)
}

function hashAt(bound: string): bigint {
  return BigInt(`0x${bound.padEnd(hashDigits, '0').slice(0, hashDigits)}`)
}

/** Returns the bound for a hash. Bounds are compared as text, so zeros at the end are omitted. */
function epkAt(hash: bigint): string {
  return hash
    .toString(16)
    .toUpperCase()
    .padStart(hashDigits, '0')
    .replace(/(00)+$/, '')
}

/** Returns the token of a lease whose range is not exactly that of a physical partition. */
export function leaseTokenOf(range: FeedRange): string {
  return `${range.min}-${range.max}`
}

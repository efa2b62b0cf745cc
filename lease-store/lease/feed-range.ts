import type { FeedRange } from './lease.js'

const epk = /^([0-9A-F]{2})*$/

/** Returns whether both bounds are effective partition keys and the interval is not empty. */
export function isEpkRange(range: FeedRange): boolean {
  return epk.test(range.min) && epk.test(range.max) && range.min < range.max
}

/** Digits of the hashes that make up an effective partition key: 16 bytes. */
const hashDigits = 32

/** The hash of every key is below this. The bound `"FF"` only means "everything that follows". */
const hashesEnd = 1n << 126n

/**
 * Cuts `range` into `count` parts with about as many keys each, or into fewer when it is too narrow. Cuts are
 * exact for containers with the current hash, whose two highest bits are 0. For the older hash, parts are
 * uneven but complete.
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

/** Returns about how many keys a range has. A part of a range never has more than the range. */
export function keyCount({ min, max }: FeedRange): bigint {
  return hashAt(max) - hashAt(min)
}

function hashAt(bound: string): bigint {
  return BigInt(`0x${bound.padEnd(hashDigits, '0').slice(0, hashDigits)}`)
}

/** Drops zeros at the end: bounds compare as text, so these zeros carry no information. */
function epkAt(hash: bigint): string {
  return hash
    .toString(16)
    .toUpperCase()
    .padStart(hashDigits, '0')
    .replace(/(00)+$/, '')
}

/** Returns the token of a lease that is not one whole physical partition. */
export function leaseTokenOf(range: FeedRange): string {
  return `${range.min}-${range.max}`
}

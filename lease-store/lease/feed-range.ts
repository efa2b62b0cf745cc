import type { FeedRange } from './lease.js'

const epk = /^([0-9A-F]{2})*$/

/** Whether both bounds are effective partition keys and the interval is not empty. */
export function isEpkRange(range: FeedRange): boolean {
  return epk.test(range.min) && epk.test(range.max) && range.min < range.max
}

/** Width of the hashes that make up an effective partition key: 16 bytes. */
const hashDigits = 32

/** Hashes begin below this; `"FF"` only means "all that follow". */
const hashesEnd = 1n << 126n

/**
 * `range` cut into `count` parts of about as many keys, or into fewer when it is narrower than that. Cuts are exact for
 * containers of today's hash (two highest bits 0); for the older one, parts are uneven but as complete.
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

/** How many keys a range has, about: a part of another never has more. */
export function keyCount({ min, max }: FeedRange): bigint {
  return hashAt(max) - hashAt(min)
}

function hashAt(bound: string): bigint {
  return BigInt(`0x${bound.padEnd(hashDigits, '0').slice(0, hashDigits)}`)
}

/** Zeros at the end say nothing: bounds compare as text. */
function epkAt(hash: bigint): string {
  return hash
    .toString(16)
    .toUpperCase()
    .padStart(hashDigits, '0')
    .replace(/(00)+$/, '')
}

/** The token of a lease that is not one whole physical partition. */
export function leaseTokenOf(range: FeedRange): string {
  return `${range.min}-${range.max}`
}

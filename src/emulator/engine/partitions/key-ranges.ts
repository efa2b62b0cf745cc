/**
 * An interval of effective partition keys in upper-case hexadecimal, from `min` (inclusive) to `max`
 * (exclusive). The whole key space is `""` to `"FF"`.
 */
export interface KeyRange {
  readonly min: string
  readonly max: string
}

export const wholeKeySpace: KeyRange = { min: '', max: 'FF' }

/**
 * The upper bound of all hashes, because their two highest bits are clear. Ranges are cut below this bound.
 */
const usedKeySpace = 1n << 126n

/** Cuts the key space into `count` ranges that each get about the same number of documents. */
export function cutEvenly(count: number): readonly KeyRange[] {
  const bounds = Array.from({ length: count + 1 }, (_, index) => {
    if (index === 0) return wholeKeySpace.min
    if (index === count) return wholeKeySpace.max
    return asKey((usedKeySpace * BigInt(index)) / BigInt(count))
  })
  return bounds.slice(1).map((max, index) => ({ min: bounds[index] ?? wholeKeySpace.min, max }))
}

/** Returns the key in the middle of a range, at which a split cuts the range. */
export function middleOf(range: KeyRange): string {
  const low = asNumber(range.min)
  const high = range.max === wholeKeySpace.max ? usedKeySpace : asNumber(range.max)
  return asKey((low + high) / 2n)
}

/** Returns the width of a range, counting only the part of the key space that documents use. */
export function widthOf(range: KeyRange): bigint {
  return (range.max === wholeKeySpace.max ? usedKeySpace : asNumber(range.max)) - asNumber(range.min)
}

export function contains(range: KeyRange, key: string): boolean {
  return key >= range.min && key < range.max
}

export function intersection(one: KeyRange, other: KeyRange): KeyRange | null {
  const min = one.min > other.min ? one.min : other.min
  const max = one.max < other.max ? one.max : other.max
  return min < max ? { min, max } : null
}

function asKey(value: bigint): string {
  return value.toString(16).toUpperCase().padStart(32, '0')
}

function asNumber(key: string): bigint {
  return key === '' ? 0n : BigInt(`0x${key.slice(0, 32).padEnd(32, '0')}`)
}

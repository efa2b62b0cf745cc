import { effectivePartitionKey, type PartitionKeyValue } from './effective-partition-key.js'
import { firstEffectiveKey, hashBound } from './first-hash.js'
import { wholeKeySpace, type KeyRange } from './key-ranges.js'

/** The places of all partition keys of a container. In both versions, a place is a hexadecimal text. */
export interface KeySpace {
  readonly effectiveKeyOf: (key: readonly PartitionKeyValue[]) => string
  /** The hash at which the key space ends. */
  readonly size: bigint
  /** Returns where the keys with this hash begin. */
  readonly boundAt: (hash: bigint) => string
  /** Returns the lowest hash of the keys that begin at a bound. */
  readonly hashAt: (bound: string) => bigint
}

/** The key space of the second version, in which the two highest bits of a hash are clear. */
const secondKeySpace: KeySpace = {
  effectiveKeyOf: effectivePartitionKey,
  size: 1n << 126n,
  boundAt: (hash) => hash.toString(16).toUpperCase().padStart(32, '0'),
  hashAt: (bound) => (bound === '' ? 0n : BigInt(`0x${bound.slice(0, 32).padEnd(32, '0')}`)),
}

const firstKeySpace: KeySpace = {
  effectiveKeyOf: firstEffectiveKey,
  size: (1n << 32n) - 1n,
  boundAt: (hash) => hashBound(Number(hash)),
  hashAt: (bound) => {
    let low = 0
    let high = 2 ** 32
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (hashBound(middle) < bound) low = middle + 1
      else high = middle
    }
    return BigInt(low)
  },
}

/** Returns the key space of a container. The version is that of the container's key definition. */
export function keySpaceOf({ version }: { readonly version: 1 | 2 }): KeySpace {
  return version === 1 ? firstKeySpace : secondKeySpace
}

/** Cuts the key space into `count` ranges that each get about the same number of documents. */
export function cutEvenly(count: number, { size, boundAt }: KeySpace): readonly KeyRange[] {
  const bounds = Array.from({ length: count + 1 }, (_, index) => {
    if (index === 0) return wholeKeySpace.min
    if (index === count) return wholeKeySpace.max
    return boundAt((size * BigInt(index)) / BigInt(count))
  })
  return bounds.slice(1).map((max, index) => ({ min: bounds[index] ?? wholeKeySpace.min, max }))
}

/** Returns the key in the middle of a range, at which a split cuts the range. */
export function middleOf(range: KeyRange, space: KeySpace): string {
  return space.boundAt((space.hashAt(range.min) + endOf(range, space)) / 2n)
}

/** Returns the width of a range, counting only the part of the key space that documents use. */
export function widthOf(range: KeyRange, space: KeySpace): bigint {
  return endOf(range, space) - space.hashAt(range.min)
}

function endOf({ max }: KeyRange, { size, hashAt }: KeySpace): bigint {
  return max === wholeKeySpace.max ? size : hashAt(max)
}

import type { FeedRange } from './lease.js'

const epk = /^([0-9A-F]{2})*$/

/** Whether both bounds are effective partition keys and the interval is not empty. */
export function isEpkRange(range: FeedRange): boolean {
  return epk.test(range.min) && epk.test(range.max) && range.min < range.max
}

/** The token of a lease that is not one whole physical partition. */
export function leaseTokenOf(range: FeedRange): string {
  return `${range.min}-${range.max}`
}

import type { Backoff } from '../../platform/index.js'

/** What becomes of changes whose delegate fails, as decided for one processor. */
export interface FailureLimits {
  /** Attempts in all; null for as many as it takes. */
  readonly maxAttempts: number | null
  /** Between two attempts. */
  readonly backoff: Backoff
}

/** Changes that are delivered together: a page, or what is left of one that is being searched for the poison. */
export interface Slice {
  /** Position of the first change within the page. */
  readonly from: number
  /** Position after the last. */
  readonly to: number
  /** How often its delivery has failed. */
  readonly failures: number
  /** Whether it was cut out of a page that had used up its attempts. */
  readonly isPart: boolean
}

/** What to do with a slice that has failed (once more). */
export type AfterFailure =
  | { readonly kind: 'retry'; readonly slice: Slice }
  /** In the order in which they are to be delivered. */
  | { readonly kind: 'bisect'; readonly halves: readonly [Slice, Slice] }
  /** It is a single change, and it is the poison. */
  | { readonly kind: 'setAside'; readonly slice: Slice }

/**
 * A page is tried `maxAttempts` times, in case the failure passes. Then one of its changes is taken to be the reason and
 * searched by halves, each tried once; a single change is the poison only when it has failed `maxAttempts` times by
 * itself. Without a limit the page is tried for ever (I10: what was not handled is not passed).
 */
export function afterFailure(failed: Slice, { maxAttempts }: FailureLimits): AfterFailure {
  const slice = { ...failed, failures: failed.failures + 1 }
  const size = slice.to - slice.from
  const attempts = slice.isPart && size > 1 ? 1 : maxAttempts
  if (attempts === null || slice.failures < attempts) return { kind: 'retry', slice }
  if (size === 1) return { kind: 'setAside', slice }
  const middle = slice.from + Math.ceil(size / 2)
  const half = { failures: 0, isPart: true }
  return {
    kind: 'bisect',
    halves: [
      { from: slice.from, to: middle, ...half },
      { from: middle, to: slice.to, ...half },
    ],
  }
}

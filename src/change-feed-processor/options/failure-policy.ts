import type { FailureLimits } from './delivery-options.js'

/** A page, or a part of a page, whose changes are delivered together. */
export interface Slice {
  /** The position of the first change within the page. */
  readonly from: number
  /** The position after the last change. */
  readonly to: number
  /** The number of failed deliveries of this slice. */
  readonly failures: number
  /** Whether the slice was cut out of a page that had used up its attempts. */
  readonly isPart: boolean
}

export type AfterFailure =
  | { readonly kind: 'retry'; readonly slice: Slice }
  /** The halves in the order of delivery. */
  | { readonly kind: 'bisect'; readonly halves: readonly [Slice, Slice] }
  /** The slice is a single change, and this change is the poison. */
  | { readonly kind: 'setAside'; readonly slice: Slice }

/**
 * Decides what follows a failure. A page is tried `tries` times, because the failure may be temporary. After
 * that, one of its changes is assumed to be the cause. To find this change, the page is halved repeatedly,
 * and each half is tried once. A single change is the poison only after it has failed `tries` times alone. If
 * there is no limit, the page is tried forever, because no checkpoint may pass an unhandled change (I10).
 */
export function afterFailure(failed: Slice, { tries }: FailureLimits): AfterFailure {
  const slice = { ...failed, failures: failed.failures + 1 }
  const size = slice.to - slice.from
  const limit = slice.isPart && size > 1 ? 1 : tries
  if (limit === null || slice.failures < limit) return { kind: 'retry', slice }
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

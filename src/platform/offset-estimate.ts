/** The bounds of the difference between two clocks in milliseconds. Both bounds are possible values. */
export interface Offset {
  readonly minMs: number
  readonly maxMs: number
}

/** The readings of the clocks when a bound is learned. */
export interface Learning {
  /** The time by the monotonic clock. */
  readonly nowMs: number
  /** The wall clock minus the monotonic clock. This difference changes when the wall clock is stepped. */
  readonly wallOffsetMs: number
  /** The offset in use. */
  readonly heldMs: number
}

/** The difference that is tolerated between the clocks of the store's machines. */
const toleranceMs = 500
/** The largest drift of a monotonic clock, as a share of the elapsed time. */
const driftShare = 0.0005
/** The largest width of close bounds, which is the width after an answer that took half a second. */
const closeMs = 2_500

/**
 * Estimates an offset from the bounds that each answer gives. Bounds that agree with the estimate narrow the
 * estimate. Other bounds are accepted only if another answer agrees with them, or if a step of the wall clock
 * explains them. One answer with a wrong date therefore changes nothing.
 */
export class OffsetEstimate {
  private bounds: Offset | null = null
  private doubted: Offset | null = null
  private learnedAtMs = 0
  private wallOffsetMs = 0

  /** Whether the bounds are so close that more answers would hardly improve them. */
  get isClose(): boolean {
    return this.bounds !== null && this.bounds.maxMs - this.bounds.minMs <= closeMs
  }

  /**
   * Learns the bounds of an answer. Returns the offset in use, or the nearest allowed offset if the bounds
   * exclude it.
   */
  learn(sample: Offset, { nowMs, wallOffsetMs, heldMs }: Learning): number {
    const said = { minMs: sample.minMs - toleranceMs, maxMs: sample.maxMs + toleranceMs }
    const known = this.bounds === null ? exactly(heldMs) : widened(this.bounds, nowMs - this.learnedAtMs)
    const steppedMs = this.bounds === null ? 0 : wallOffsetMs - this.wallOffsetMs
    const isAgreed = common(known, said) !== null
    const bounds = isAgreed
      ? common(this.bounds === null ? said : known, said)
      : this.believed(said, known, steppedMs)
    if (bounds === null) {
      this.doubted = said
      return heldMs
    }
    this.doubted = null
    this.bounds = bounds
    this.learnedAtMs = nowMs
    this.wallOffsetMs = wallOffsetMs
    return Math.min(Math.max(heldMs, bounds.minMs), bounds.maxMs)
  }

  /**
   * Returns bounds that contradict the estimate if there is a second reason to accept them, and otherwise
   * null.
   */
  private believed(said: Offset, known: Offset, steppedMs: number): Offset | null {
    const moved = { minMs: known.minMs + steppedMs, maxMs: known.maxMs + steppedMs }
    if (steppedMs !== 0 && common(moved, said) !== null) return said
    return this.doubted === null ? null : common(this.doubted, said)
  }
}

function exactly(ms: number): Offset {
  return { minMs: ms, maxMs: ms }
}

function widened({ minMs, maxMs }: Offset, elapsedMs: number): Offset {
  const driftMs = elapsedMs * driftShare
  return { minMs: minMs - driftMs, maxMs: maxMs + driftMs }
}

function common(one: Offset, other: Offset): Offset | null {
  const minMs = Math.max(one.minMs, other.minMs)
  const maxMs = Math.min(one.maxMs, other.maxMs)
  return minMs > maxMs ? null : { minMs, maxMs }
}

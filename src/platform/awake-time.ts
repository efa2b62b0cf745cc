/** The time between two comparisons of the clocks. Each comparison takes a few microseconds. */
const compareEveryMs = 100
/** The smallest difference that counts as sleep. On some systems `sinceStart` returns whole seconds. */
const visibleMs = 2_000

/**
 * A monotonic clock that continues while the machine sleeps. The precise clock stops during sleep. With that
 * clock alone, a process could continue to use a lease that another process has taken over.
 */
export class AwakeTime {
  private readonly startMs: number
  private comparedAtMs: number
  private sleptMs = 0

  /**
   * @param precise returns milliseconds, and stops while the machine sleeps
   * @param sinceStart returns milliseconds, possibly rounded to whole seconds, and continues during sleep
   */
  constructor(
    private readonly precise: () => number,
    private readonly sinceStart: () => number,
  ) {
    this.comparedAtMs = precise()
    this.startMs = sinceStart() - this.comparedAtMs
  }

  /** Returns milliseconds since an arbitrary start, including sleep. Never goes back. */
  now(): number {
    const preciseMs = this.precise()
    if (preciseMs - this.comparedAtMs >= compareEveryMs) {
      this.comparedAtMs = preciseMs
      const aheadMs = this.sinceStart() - preciseMs - this.startMs
      if (aheadMs - this.sleptMs >= visibleMs) this.sleptMs = aheadMs
    }
    return preciseMs + this.sleptMs
  }
}

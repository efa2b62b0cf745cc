/** The time between two comparisons of the clocks. Each comparison takes some microseconds. */
const compareEveryMs = 100
/** The smallest difference that counts as sleep. On some systems `sinceStart` returns whole seconds. */
const visibleMs = 2_000

/**
 * A monotonic clock that continues while the machine sleeps. The precise clock stops during sleep, so a
 * process could believe that it still holds a lease which another process has taken over.
 */
export class AwakeTime {
  private readonly startMs: number
  private comparedAtMs: number
  private sleptMs = 0

  /**
   * @param precise returns milliseconds, and stops while the machine sleeps
   * @param sinceStart returns milliseconds, perhaps only whole seconds, and continues during sleep
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

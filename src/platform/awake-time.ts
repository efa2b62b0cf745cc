/**
 * How often the two clocks are compared. Reading the time since the machine's start takes some microseconds.
 */
const compareEveryMs = 100
/** The least difference that counts as sleep, because on some systems `sinceStart` shows whole seconds. */
const visibleMs = 2_000

/**
 * A monotonic clock that goes on while the machine sleeps. The precise clock stands still then. A process
 * that trusted it would believe that it still holds a lease which another process has taken over.
 */
export class AwakeTime {
  private readonly startMs: number
  private comparedAtMs: number
  private sleptMs = 0

  /**
   * @param precise milliseconds; stands still while the machine sleeps
   * @param sinceStart milliseconds; goes on while the machine sleeps, and may be coarse
   */
  constructor(
    private readonly precise: () => number,
    private readonly sinceStart: () => number,
  ) {
    this.comparedAtMs = precise()
    this.startMs = sinceStart() - this.comparedAtMs
  }

  /** Returns milliseconds since an arbitrary start, sleep included. Never goes back. */
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

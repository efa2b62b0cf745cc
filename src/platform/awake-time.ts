/** How often the two clocks are compared; asking for the time since the start of a machine takes some microseconds. */
const compareEveryMs = 100
/** The clock of some systems that counts sleep shows whole seconds. */
const visibleMs = 2_000

/**
 * A monotonic clock that goes on while the machine sleeps. The precise one stands still then, and a process that trusts it
 * holds a lease for valid that others have taken over in the meantime.
 */
export class AwakeTime {
  private readonly startMs: number
  private comparedAtMs: number
  private sleptMs = 0

  /**
   * @param precise stands still while the machine sleeps
   * @param sinceStart goes on then, and may be coarse; milliseconds
   */
  constructor(
    private readonly precise: () => number,
    private readonly sinceStart: () => number,
  ) {
    this.comparedAtMs = precise()
    this.startMs = sinceStart() - this.comparedAtMs
  }

  /** Milliseconds since an arbitrary start, sleep included; never goes back. */
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

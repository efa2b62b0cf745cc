/** The time between two comparisons of the clocks. Each comparison takes a few microseconds. */
const compareEveryMs = 100
/** The smallest difference that counts as sleep. On some systems `sinceStart` returns whole seconds. */
const visibleMs = 2_000

/** The clocks of a machine. All of them return milliseconds. */
export interface MachineClocks {
  /** Stops while the machine sleeps. */
  precise(): number
  /** Continues during sleep. It is slow to read, and some systems round it to whole seconds. */
  sinceStart(): number
  /** Continues during sleep, and is fast to read. A user or a time server can set it to another time. */
  wall(): number
}

/**
 * A monotonic clock that continues while the machine sleeps. The precise clock stops during sleep. With that
 * clock alone, a process could continue to use a lease that another process has taken over.
 */
export class AwakeTime {
  private readonly startMs: number
  private comparedAtMs: number
  private wallMs: number
  private sleptMs = 0

  constructor(private readonly clocks: MachineClocks) {
    this.comparedAtMs = clocks.precise()
    this.wallMs = clocks.wall()
    this.startMs = clocks.sinceStart() - this.comparedAtMs
  }

  /** Returns milliseconds since an arbitrary start, including sleep. Never goes back. */
  now(): number {
    const preciseMs = this.clocks.precise()
    const wallMs = this.clocks.wall()
    // The precise clock does not show a sleep that has just ended, but the wall clock does.
    const isDue =
      preciseMs - this.comparedAtMs >= compareEveryMs || Math.abs(wallMs - this.wallMs) >= compareEveryMs
    if (isDue) {
      this.comparedAtMs = preciseMs
      this.wallMs = wallMs
      const aheadMs = this.clocks.sinceStart() - preciseMs - this.startMs
      if (aheadMs - this.sleptMs >= visibleMs) this.sleptMs = aheadMs
    }
    return preciseMs + this.sleptMs
  }
}

const minuteMs = 60_000

/** Limits the number of calls in any sixty seconds. */
export class CallBudget {
  /** The times of the calls of the last minute, oldest first. */
  private times: readonly number[] = []

  constructor(private readonly perMinute: number) {}

  /** Returns the number of calls that may be made now. */
  free(now: number): number {
    this.times = this.times.filter((time) => time > now - minuteMs)
    return this.perMinute - this.times.length
  }

  /** Returns the number of milliseconds until a call may be made. */
  freeInMs(now: number): number {
    const [oldest] = this.times
    return this.free(now) > 0 || oldest === undefined ? 0 : oldest + minuteMs - now
  }

  take(now: number): void {
    this.times = [...this.times, now]
  }
}

const minuteMs = 60_000

/** Limits the number of calls in any sixty seconds. */
export class CallBudget {
  /** The times of the calls in the last minute, oldest first. */
  private times: readonly number[] = []

  constructor(private readonly perMinute: number) {}

  free(now: number): number {
    this.times = this.times.filter((time) => time > now - minuteMs)
    return this.perMinute - this.times.length
  }

  freeInMs(now: number): number {
    const [oldest] = this.times
    return this.free(now) > 0 || oldest === undefined ? 0 : oldest + minuteMs - now
  }

  take(now: number): void {
    this.times = [...this.times, now]
  }
}

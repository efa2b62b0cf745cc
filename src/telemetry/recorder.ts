import type { TelemetryEvent, TelemetryEventOf, TelemetryEventType } from './events.js'
import type { Telemetry } from './telemetry.js'

interface Waiter {
  readonly offer: (event: TelemetryEvent) => boolean
}

/** Remembers every event, and lets a test wait for an event instead of sleeping. */
export class TelemetryRecorder implements Telemetry {
  private readonly recorded: TelemetryEvent[] = []
  private waiters: Waiter[] = []

  emit(event: TelemetryEvent): void {
    this.recorded.push(event)
    this.waiters = this.waiters.filter((waiter) => !waiter.offer(event))
  }

  /** All events so far, oldest first. */
  get events(): readonly TelemetryEvent[] {
    return this.recorded
  }

  /** Returns all events of one type so far, oldest first. */
  of<T extends TelemetryEventType>(type: T): TelemetryEventOf<T>[] {
    return this.recorded.filter((event): event is TelemetryEventOf<T> => event.type === type)
  }

  /** Resolves with the last of `count` events of this type that satisfy `where`. Earlier events count too. */
  waitFor<T extends TelemetryEventType>(
    type: T,
    where: (event: TelemetryEventOf<T>) => boolean = () => true,
    count = 1,
  ): Promise<TelemetryEventOf<T>> {
    const matches = (event: TelemetryEvent): event is TelemetryEventOf<T> =>
      event.type === type && where(event as TelemetryEventOf<T>)
    const seen = this.recorded.filter(matches)
    const already = seen[count - 1]
    if (already !== undefined) return Promise.resolve(already)
    let left = count - seen.length
    return new Promise((resolve) => {
      this.waiters.push({
        offer: (event) => {
          if (!matches(event)) return false
          left -= 1
          if (left === 0) resolve(event)
          return left === 0
        },
      })
    })
  }
}

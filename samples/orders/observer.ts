import type { Telemetry, TelemetryEvent } from 'stepward'

/** The events after which the progress, or a condition that `until` awaits, may have changed. */
const worthALook: ReadonlySet<TelemetryEvent['type']> = new Set([
  'job.finished',
  'step.recovered',
  'notice.sent',
  'alert.raised',
])

/** Counts, from the telemetry of a run, the jobs that have ended, the request units and the retries. */
export class Observer implements Telemetry {
  private readonly ended = new Map<string, string>()
  private readonly listeners = new Set<() => void>()
  private charged = 0
  private recovered = 0

  emit(event: TelemetryEvent): void {
    if (event.type === 'store.charged') this.charged += event.charge
    if (event.type === 'step.recovered') this.recovered += 1
    if (event.type === 'job.finished') this.ended.set(event.jobId, event.state)
    if (worthALook.has(event.type)) {
      for (const listener of this.listeners) listener()
    }
  }

  get endedCount(): number {
    return this.ended.size
  }

  /** The request units that all requests to the store have used so far. */
  get requestUnits(): number {
    return this.charged
  }

  /** The number of attempts that failed or missed their deadline, and that the supervisor recovered. */
  get retries(): number {
    return this.recovered
  }

  endedIn(state: string): readonly string[] {
    return [...this.ended].flatMap(([jobId, ended]) => (ended === state ? [jobId] : []))
  }

  byState(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const state of this.ended.values()) counts[state] = (counts[state] ?? 0) + 1
    return counts
  }

  onProgress(listener: () => void): void {
    this.listeners.add(listener)
  }

  /** Resolves when `holds` returns true, or when `signal` aborts. */
  async until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (!signal.aborted && !holds()) return
        this.listeners.delete(check)
        resolve()
      }
      this.listeners.add(check)
      signal.addEventListener('abort', check, { once: true })
      check()
    })
  }
}

import type { Telemetry, TelemetryEvent } from 'stepward'

/** After these, progress or what is waited for may be different. */
const worthALook: ReadonlySet<TelemetryEvent['type']> = new Set([
  'job.finished',
  'step.recovered',
  'notice.sent',
  'alert.raised',
])

/** Listens to a run: what has ended so far, and what it costs. */
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

  /** Jobs that have ended. */
  get endedCount(): number {
    return this.ended.size
  }

  /** Request units of everything asked of the store so far. */
  get requestUnits(): number {
    return this.charged
  }

  /** Attempts that failed and were made good. */
  get retries(): number {
    return this.recovered
  }

  /** The jobs that ended in this state. */
  endedIn(state: string): readonly string[] {
    return [...this.ended].flatMap(([jobId, ended]) => (ended === state ? [jobId] : []))
  }

  /** How many jobs ended in each state. */
  byState(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const state of this.ended.values()) counts[state] = (counts[state] ?? 0) + 1
    return counts
  }

  onProgress(listener: () => void): void {
    this.listeners.add(listener)
  }

  /** Resolves when this holds, looked at after every event that may matter, or when `signal` aborts. */
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

import type { Telemetry, TelemetryEvent } from 'stepward'

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
    if (event.type === 'job.finished' || event.type === 'step.recovered') {
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

  /** How many jobs ended in each state. */
  byState(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const state of this.ended.values()) counts[state] = (counts[state] ?? 0) + 1
    return counts
  }

  onProgress(listener: () => void): void {
    this.listeners.add(listener)
  }

  /** Resolves when `count` jobs have ended, or with the number that had when `signal` aborts. */
  async until(count: number, signal: AbortSignal): Promise<number> {
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (this.endedCount >= count || signal.aborted) resolve()
      }
      this.listeners.add(check)
      signal.addEventListener('abort', check, { once: true })
      check()
    })
    return this.endedCount
  }
}

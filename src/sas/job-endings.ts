import type { Telemetry, TelemetryEvent } from '../telemetry/index.js'
import type { WakeUps } from './job-waiting.js'

/** A telemetry sink that wakes whoever waits for a job of which it hears the end. */
export class JobEndings implements Telemetry, WakeUps {
  private readonly listeners = new Map<string, Set<() => void>>()

  emit(event: TelemetryEvent): void {
    if (event.type !== 'job.finished') return
    for (const listener of this.listeners.get(event.jobId) ?? []) listener()
  }

  subscribe(jobId: string, listener: () => void): () => void {
    const listeners = this.listeners.get(jobId) ?? new Set()
    this.listeners.set(jobId, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.listeners.delete(jobId)
    }
  }
}

import type { TelemetryEvent } from './events.js'

/** Where events go. `emit` must not throw and must not wait. */
export interface Telemetry {
  emit(event: TelemetryEvent): void
}

/** Tells nobody. */
export const silent: Telemetry = { emit: () => undefined }

/** Tells several sinks; one that throws does not keep the others from hearing. */
export function fanOut(...sinks: readonly Telemetry[]): Telemetry {
  return {
    emit: (event) => {
      for (const sink of sinks) {
        try {
          sink.emit(event)
        } catch {
          // A broken sink must not break the work it reports on, and there is nobody left to tell.
        }
      }
    },
  }
}

import type { Delivery } from './delivery.js'
import type { TelemetryEvent } from './events.js'

/** A sink for events. `emit` must not throw and must not wait. */
export interface Telemetry {
  emit(event: TelemetryEvent): void
  /**
   * Runs `run` once, and returns or throws its result. A tracing sink surrounds it with a span, so that the
   * work of the delegate becomes part of it. Sinks without this method see deliveries as events only.
   */
  during?<T>(delivery: Delivery, run: () => Promise<T>): Promise<T>
}

/** A sink that ignores all events. */
export const silent: Telemetry = { emit: () => undefined }

/**
 * Returns a sink that passes events to several sinks. A sink that throws does not affect the others. Traces
 * deliveries if at least one of the sinks does.
 */
export function fanOut(...sinks: readonly Telemetry[]): Telemetry {
  const emit: Telemetry['emit'] = (event) => {
    for (const sink of sinks) {
      try {
        sink.emit(event)
      } catch {
        // A broken sink must not break the work it reports on, and no other sink is left to report this to.
      }
    }
  }
  const tracing = sinks.filter((sink) => sink.during !== undefined)
  if (tracing.length === 0) return { emit }
  return {
    emit,
    during: (delivery, run) =>
      tracing.reduceRight((inner, sink) => () => sink.during?.(delivery, inner) ?? inner(), run)(),
  }
}

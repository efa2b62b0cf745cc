import type { Delivery } from './delivery.js'
import type { TelemetryEvent } from './events.js'

/** A sink for events. `emit` must not throw and must not wait. */
export interface Telemetry {
  emit(event: TelemetryEvent): void
  /**
   * Calls `run` once, and returns its result or throws its error. A tracing sink opens a span around the
   * call, so that the work of the delegate becomes part of the span. A sink without this method sees only the
   * events of a delivery.
   */
  during?<T>(delivery: Delivery, run: () => Promise<T>): Promise<T>
}

/** A sink that ignores all events. */
export const silent: Telemetry = { emit: () => undefined }

/**
 * Returns a sink that passes events to several sinks. A sink that throws does not affect the others. The
 * combined sink traces deliveries if at least one of the sinks traces them.
 */
export function fanOut(...sinks: readonly Telemetry[]): Telemetry {
  const emit: Telemetry['emit'] = (event) => {
    for (const sink of sinks) {
      try {
        sink.emit(event)
      } catch {
        // A broken sink must not break the reported work, and there is no other place to report the error.
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

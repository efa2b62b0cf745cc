import type { TelemetryEvent } from './events.js'

/** A page on its way to a delegate. */
export interface Delivery {
  readonly processorName: string
  readonly instanceName: string
  readonly leaseToken: string
  readonly count: number
  /** The container whose changes these are; left out where it has no name. */
  readonly container?: string
}

/** Where events go. `emit` must not throw and must not wait. */
export interface Telemetry {
  emit(event: TelemetryEvent): void
  /**
   * Runs `run` once, and answers or throws what it does; a sink that traces surrounds it with a span, so that what a
   * delegate does becomes part of it. Sinks without it see deliveries as events only.
   */
  during?<T>(delivery: Delivery, run: () => Promise<T>): Promise<T>
}

/** Tells nobody. */
export const silent: Telemetry = { emit: () => undefined }

/** Tells several sinks; one that throws does not keep the others from hearing. Traces deliveries if any of them does. */
export function fanOut(...sinks: readonly Telemetry[]): Telemetry {
  const emit: Telemetry['emit'] = (event) => {
    for (const sink of sinks) {
      try {
        sink.emit(event)
      } catch {
        // A broken sink must not break the work it reports on, and there is nobody left to tell.
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

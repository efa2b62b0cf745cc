import {
  createNoopMeter,
  metrics,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Meter,
  type MeterProvider,
  type TracerProvider,
} from '@opentelemetry/api'
import { systemClock, type Clock } from '../platform/index.js'
import { rowOf } from './events.js'
import { attributesOf, onDelivery, processDuration, errorType, type Metric } from './metric.js'
import type { Telemetry } from './telemetry.js'

/** The providers that an {@link openTelemetry} sink reports to. */
export interface OpenTelemetryOptions {
  /** The provider of meters. Default: the provider that is registered when the first event is emitted. */
  readonly meterProvider?: MeterProvider
  /** The provider of tracers. Default: the provider that is registered when a page is delivered. */
  readonly tracerProvider?: TracerProvider
  readonly clock?: Clock
}

/** The name of this library for instruments and tracers. */
const scope = 'stepward'

/**
 * Returns a sink for OpenTelemetry. The sink records metrics of events, and a consumer span for every
 * delivered page. The span is active while the delegate runs. If the messaging or database semantic
 * conventions define a name, the sink uses that name.
 *
 * Without an OpenTelemetry SDK in the process, the sink does nothing. Register the SDK before the first
 * event, because instruments that are created without an SDK record nothing.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  const { clock = systemClock } = options
  const report = reporter(options)
  return {
    emit: (event) => {
      for (const metric of rowOf(event.type).metrics) report(metric, event)
    },
    during: async (delivery, run) => {
      const tracer = (options.tracerProvider ?? trace).getTracer(scope)
      const name = `process ${delivery.container ?? delivery.processorName}`
      const batch = { 'messaging.batch.message_count': delivery.count }
      const attributes = { ...attributesOf(onDelivery, delivery), ...batch }
      const startedAtMs = clock.monotonic()
      return tracer.startActiveSpan(name, { kind: SpanKind.CONSUMER, attributes }, async (span) => {
        let failure: { readonly error: unknown } | null = null
        try {
          return await run()
        } catch (error) {
          failure = { error }
          span.setAttribute('error.type', errorType(error))
          if (error instanceof Error) span.recordException(error)
          span.setStatus({ code: SpanStatusCode.ERROR })
          throw error
        } finally {
          report(processDuration, { ...delivery, durationMs: clock.monotonic() - startedAtMs, failure })
          span.end()
        }
      })
    },
  }
}

/** Records a value. Null without an SDK: then the values and attributes are not even computed. */
type Report = ((value: number, attributes: Attributes) => void) | null

/** Returns a function that reports events to instruments. The first event of an instrument creates it. */
function reporter({
  meterProvider = metrics,
}: OpenTelemetryOptions): <E>(metric: Metric<E>, event: E) => void {
  const instruments = new Map<string, Report>()
  return (metric, event) => {
    let known = instruments.get(metric.name)
    if (known === undefined) {
      const meter = meterProvider.getMeter(scope)
      known = meter === createNoopMeter() ? null : instrumentOf(meter, metric)
      instruments.set(metric.name, known)
    }
    known?.(metric.value?.(event) ?? 1, attributesOf(metric.attributes, event))
  }
}

function instrumentOf(meter: Meter, { name, kind, unit, boundaries }: Omit<Metric<never>, 'value'>): Report {
  switch (kind) {
    case 'counter': {
      const counter = meter.createCounter(name, { unit })
      return (value, attributes) => counter.add(value, attributes)
    }
    case 'upDownCounter': {
      const counter = meter.createUpDownCounter(name, { unit })
      return (value, attributes) => counter.add(value, attributes)
    }
    case 'gauge': {
      const gauge = meter.createGauge(name, { unit })
      return (value, attributes) => gauge.record(value, attributes)
    }
    case 'histogram': {
      const advice = boundaries === undefined ? {} : { explicitBucketBoundaries: [...boundaries] }
      const histogram = meter.createHistogram(name, { unit, advice })
      return (value, attributes) => histogram.record(value, attributes)
    }
  }
}

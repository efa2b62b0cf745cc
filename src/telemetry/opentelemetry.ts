import {
  metrics,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Counter,
  type Gauge,
  type Histogram,
  type MeterProvider,
  type TracerProvider,
  type UpDownCounter,
} from '@opentelemetry/api'
import { systemClock, type Clock } from '../platform/index.js'
import type { TelemetryEvent } from './events.js'
import type { Delivery, Telemetry } from './telemetry.js'

/** The providers that an {@link openTelemetry} sink reports to. */
export interface OpenTelemetryOptions {
  /** Default: the provider that is registered when the first event comes. */
  readonly meterProvider?: MeterProvider
  /** Default: the provider that is registered when a page is delivered. */
  readonly tracerProvider?: TracerProvider
  readonly clock?: Clock
}

/** The name of this library for instruments and tracers. */
const scope = 'stepward'

interface Instruments {
  readonly consumedMessages: Counter
  readonly processDuration: Histogram
  readonly requestCharge: Histogram
  readonly failures: Counter
  readonly checkpoints: Counter
  readonly conflicts: Counter
  readonly leases: UpDownCounter
  readonly lag: Gauge
  readonly oldestAge: Gauge
  readonly steps: Counter
  readonly jobs: Counter
  /** Counts the events of every other type. */
  readonly events: Counter
}

/**
 * Returns a sink for OpenTelemetry: metrics of events, and a consumer span around every delivered page, active
 * while the delegate runs. Names follow the messaging and database semantic conventions where these define one.
 *
 * Without an OpenTelemetry SDK in the process it does nothing. Register the SDK before the first event:
 * instruments made without one record nothing.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  const { clock = systemClock } = options
  let made: Instruments | undefined
  const instruments = (): Instruments => (made ??= instrumentsOf(options))
  return {
    emit: (event) => {
      record(instruments(), event)
    },
    during: async (delivery, run) => {
      const tracer = (options.tracerProvider ?? trace).getTracer(scope)
      const { container, processorName } = delivery
      const destination: Attributes =
        container === undefined ? {} : { 'messaging.destination.name': container }
      const attributes = { ...attributesOf(delivery), ...destination }
      const name = `process ${container ?? processorName}`
      const batch = { 'messaging.batch.message_count': delivery.count }
      const startedAtMs = clock.monotonic()
      return tracer.startActiveSpan(
        name,
        { kind: SpanKind.CONSUMER, attributes: { ...attributes, ...batch } },
        async (span) => {
          let outcome: Attributes = {}
          try {
            return await run()
          } catch (error) {
            outcome = { 'error.type': errorType(error) }
            span.setAttributes(outcome)
            if (error instanceof Error) span.recordException(error)
            span.setStatus({ code: SpanStatusCode.ERROR })
            throw error
          } finally {
            const seconds = (clock.monotonic() - startedAtMs) / 1_000
            instruments().processDuration.record(seconds, { ...attributes, ...outcome })
            span.end()
          }
        },
      )
    },
  }
}

function instrumentsOf({ meterProvider = metrics }: OpenTelemetryOptions): Instruments {
  const meter = meterProvider.getMeter(scope)
  const boundaries = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60]
  return {
    consumedMessages: meter.createCounter('messaging.client.consumed.messages', { unit: '{message}' }),
    processDuration: meter.createHistogram('messaging.process.duration', {
      unit: 's',
      advice: { explicitBucketBoundaries: boundaries },
    }),
    requestCharge: meter.createHistogram('azure.cosmosdb.client.operation.request_charge', {
      unit: '{request_unit}',
    }),
    failures: meter.createCounter('stepward.failures', { unit: '{failure}' }),
    checkpoints: meter.createCounter('stepward.checkpoints', { unit: '{checkpoint}' }),
    conflicts: meter.createCounter('stepward.conflicts', { unit: '{conflict}' }),
    leases: meter.createUpDownCounter('stepward.leases.held', { unit: '{lease}' }),
    lag: meter.createGauge('stepward.lag', { unit: '{change}' }),
    oldestAge: meter.createGauge('stepward.oldest_change.age', { unit: 's' }),
    steps: meter.createCounter('stepward.steps', { unit: '{step}' }),
    jobs: meter.createCounter('stepward.jobs', { unit: '{job}' }),
    events: meter.createCounter('stepward.events', { unit: '{event}' }),
  }
}

/** Events that are only counted. */
const plainEvents = [
  'agent.logged',
  'alert.raised',
  'attention.raised',
  'deadLetter.written',
  'deadline.doubted',
  'document.refused',
  'feed.polled',
  'feed.throttled',
  'feed.unanswered',
  'host.advised',
  'host.failed',
  'host.started',
  'host.stopped',
  'host.stopping',
  'instance.ended',
  'instance.leasesReleased',
  'instance.started',
  'job.operated',
  'job.recovered',
  'job.submitted',
  'lease.recreated',
  'lease.renewed',
  'lease.requested',
  'lease.split',
  'lease.superseded',
  'leases.listed',
  'notice.sent',
  'step.dispatched',
  'step.extended',
  'step.recovered',
  'step.started',
  'step.unclaimed',
  'store.recovered',
  'store.troubled',
  'unit.healthy',
  'unit.unhealthy',
] as const

type PlainEvent = Extract<TelemetryEvent, { readonly type: (typeof plainEvents)[number] }>

function isPlain(event: TelemetryEvent): event is PlainEvent {
  return plainEvents.some((type) => type === event.type)
}

/** Records the metrics of an event. The linter requires every type here. */
function record(to: Instruments, event: TelemetryEvent): void {
  if (isPlain(event)) {
    to.events.add(1, { 'stepward.event': event.type })
    return
  }
  switch (event.type) {
    case 'page.delivered':
      to.consumedMessages.add(event.count, attributesOf(event))
      return
    case 'lease.acquired':
      to.leases.add(1, unitOf(event))
      return
    case 'lease.released':
      to.leases.add(-1, unitOf(event))
      return
    case 'checkpoint.stored':
      to.checkpoints.add(1, attributesOf(event))
      return
    case 'lag.estimated':
      to.lag.record(event.estimatedLag, attributesOf(event))
      to.oldestAge.record((event.oldestAgeMs ?? 0) / 1_000, attributesOf(event))
      return
    case 'store.charged':
      to.requestCharge.record(event.charge, {
        'db.system.name': system,
        'db.operation.name': event.operation,
      })
      return
    case 'store.conflict':
      to.conflicts.add(1, { 'db.system.name': system, 'db.operation.name': event.operation })
      return
    case 'step.settled':
      to.steps.add(1, { 'stepward.workflow': event.workflow, 'stepward.outcome': event.outcome })
      return
    case 'job.finished':
      to.jobs.add(1, { 'stepward.workflow': event.workflow, 'stepward.state': event.state })
      return
    case 'delegate.failed':
    case 'feed.failed':
    case 'balance.failed':
    case 'notification.failed':
    case 'loop.failed':
    case 'outcome.discarded':
    case 'notice.failed':
    case 'alert.failed':
      to.failures.add(1, failureAttributes(event))
      return
  }
}

const system = 'azure.cosmosdb'

function attributesOf(on: { readonly processorName: string; readonly leaseToken: string }): Attributes {
  return { ...unitOf(on), 'messaging.destination.partition.id': on.leaseToken }
}

function unitOf({ processorName }: Pick<Delivery, 'processorName'>): Attributes {
  return {
    'messaging.system': system,
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.consumer.group.name': processorName,
  }
}

function failureAttributes(event: Extract<TelemetryEvent, { readonly error?: unknown }>): Attributes {
  const unit = 'processorName' in event ? unitOf(event) : {}
  return { ...unit, 'stepward.event': event.type, 'error.type': errorType(event.error) }
}

function errorType(error: unknown): string {
  return error instanceof Error ? error.name : '_OTHER'
}

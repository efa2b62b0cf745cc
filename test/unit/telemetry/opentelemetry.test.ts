import { context, SpanStatusCode, trace, type ContextManager } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it, onTestFinished } from 'vitest'
import { VirtualClock } from '../../../src/platform/index.js'
import { fanOut, openTelemetry, TelemetryRecorder, type Delivery } from '../../../src/telemetry/index.js'

const delivery: Delivery = { processorName: 'unit', instanceName: 'one', leaseToken: '0', count: 3 }
const onLease = { processorName: 'unit', instanceName: 'one', leaseToken: '0' }

function anSdk() {
  const spans = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  onTestFinished(() => meterProvider.shutdown())
  const clock = new VirtualClock()
  /** Returns values by metric; the value of a histogram is its sum. */
  const metrics = async (): Promise<Readonly<Record<string, readonly unknown[]>>> => {
    await reader.forceFlush()
    const scopes = exporter.getMetrics().at(-1)?.scopeMetrics ?? []
    return Object.fromEntries(
      scopes.flatMap((scope) =>
        scope.metrics.map(({ descriptor, dataPoints }) => [
          descriptor.name,
          dataPoints.map(({ value }) => (typeof value === 'number' ? value : value.sum)),
        ]),
      ),
    )
  }
  return { telemetry: openTelemetry({ tracerProvider, meterProvider, clock }), spans, metrics, clock }
}

/** A context manager that is sufficient for the active span of synchronous code. */
function withActiveContexts(): void {
  let current = context.active()
  const manager: ContextManager = {
    active: () => current,
    with: (next, run, thisArgument, ...parameters) => {
      const before = current
      current = next
      try {
        return run.call(thisArgument, ...parameters)
      } finally {
        current = before
      }
    },
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  context.setGlobalContextManager(manager)
  onTestFinished(() => {
    context.disable()
  })
}

describe('OpenTelemetry', () => {
  it('counts deliveries, leases, checkpoints and charges', async () => {
    const { telemetry, metrics } = anSdk()
    telemetry.emit({ type: 'lease.acquired', ...onLease, takenFrom: null })
    telemetry.emit({ type: 'lease.acquired', ...onLease, leaseToken: '1', takenFrom: null })
    telemetry.emit({ type: 'lease.released', ...onLease, reason: 'Shutdown' })
    telemetry.emit({ type: 'page.delivered', ...onLease, count: 3, charge: 1 })
    telemetry.emit({ type: 'page.delivered', ...onLease, count: 4, charge: 1 })
    telemetry.emit({ type: 'checkpoint.stored', ...onLease, continuationToken: '"7"' })
    telemetry.emit({ type: 'store.charged', operation: 'feed.read', charge: 2.5 })
    telemetry.emit({ type: 'delegate.failed', ...onLease, error: new TypeError('no') })
    telemetry.emit({
      type: 'lag.estimated',
      processorName: 'unit',
      leaseToken: '0',
      estimatedLag: 12,
      oldestAgeMs: 4_000,
    })
    expect(await metrics()).toMatchObject({
      'stepward.leases.held': [1],
      'messaging.client.consumed.messages': [7],
      'stepward.checkpoints': [1],
      'azure.cosmosdb.client.operation.request_charge': [2.5],
      'stepward.failures': [1],
      'stepward.lag': [12],
      'stepward.oldest_change.age': [4],
    })
  })

  it('makes a span of a delivery, which is active while the delegate runs', async () => {
    withActiveContexts()
    const { telemetry, spans, metrics, clock } = anSdk()
    const active = await telemetry.during?.(delivery, async () => {
      const span = trace.getActiveSpan()
      await clock.advance(250)
      return span?.spanContext().spanId
    })
    const [span] = spans.getFinishedSpans()
    expect(span?.name).toBe('process unit')
    expect(span?.spanContext().spanId).toBe(active)
    expect(span?.attributes).toMatchObject({
      'messaging.batch.message_count': 3,
      'messaging.consumer.group.name': 'unit',
      'messaging.destination.partition.id': '0',
    })
    expect(await metrics()).toMatchObject({ 'messaging.process.duration': [0.25] })
  })

  it('names the span after the container of the changes, if it is known', async () => {
    const { telemetry, spans } = anSdk()
    await telemetry.during?.({ ...delivery, container: 'orders' }, () => Promise.resolve())
    const [span] = spans.getFinishedSpans()
    expect(span?.name).toBe('process orders')
    expect(span?.attributes['messaging.destination.name']).toBe('orders')
  })

  it('marks the span of a failed delegate, and passes the failure on', async () => {
    const { telemetry, spans } = anSdk()
    const failing = telemetry.during?.(delivery, () => Promise.reject(new TypeError('no')))
    await expect(failing).rejects.toThrow('no')
    const [span] = spans.getFinishedSpans()
    expect(span?.status.code).toBe(SpanStatusCode.ERROR)
    expect(span?.attributes['error.type']).toBe('TypeError')
  })

  it('works without an SDK', async () => {
    const telemetry = openTelemetry()
    telemetry.emit({ type: 'page.delivered', ...onLease, count: 3, charge: 1 })
    expect(await telemetry.during?.(delivery, () => Promise.resolve(5))).toBe(5)
  })

  it('makes a span of a delivery as one of several sinks, and delivers once', async () => {
    const { telemetry, spans } = anSdk()
    let runs = 0
    const several = fanOut(new TelemetryRecorder(), telemetry, new TelemetryRecorder())
    await several.during?.(delivery, async () => {
      runs += 1
    })
    expect([runs, spans.getFinishedSpans().length]).toEqual([1, 1])
  })
})

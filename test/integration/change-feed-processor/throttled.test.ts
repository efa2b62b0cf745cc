import type { Container } from '@azure/cosmos'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ChangeFeedProcessor, type AnyProcessorOptions } from '../../../src/change-feed-processor/index.js'
import { createInProcessCosmos, type Fault, type InProcessCosmos } from '../../../src/emulator/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'

type Document = Record<string, unknown>
type RequestKind = 'container' | 'pkranges' | 'query' | 'changeFeed' | 'create'

/** Far longer than a test may take: a test that waits for it fails. */
const throttledMs = 60_000

interface Unit {
  readonly cosmos: InProcessCosmos
  readonly processor: ChangeFeedProcessor<Document>
  readonly telemetry: TelemetryRecorder
  readonly leases: Container
  readonly orders: Container
}

/** A processor with a client as users create it, which repeats throttled requests in silence. */
async function unit(options: Partial<AnyProcessorOptions<Document>> = {}): Promise<Unit> {
  const cosmos = createInProcessCosmos()
  const { database } = await cosmos.client().databases.create({ id: 'shop' })
  const { container: orders } = await database.containers.create({ id: 'orders', partitionKey: '/pk' })
  const { container: leases } = await database.containers.create({
    id: 'leases',
    partitionKey: '/id',
    defaultTtl: -1,
  })
  const telemetry = new TelemetryRecorder()
  const processor = new ChangeFeedProcessor<Document>({
    monitoredContainer: orders,
    leaseContainer: leases,
    processorName: 'unit',
    instanceName: 'one',
    startFrom: 'beginning',
    leaseAcquireInterval: 500,
    leaseRenewInterval: 200,
    leaseExpirationInterval: 30_000,
    pollInterval: 20,
    telemetry,
    onChanges: () => undefined,
    ...options,
  } as AnyProcessorOptions<Document>)
  onTestFinished(async () => {
    cosmos.faults.clear()
    await processor.stop()
    await cosmos.close()
  })
  return { cosmos, processor, telemetry, leases, orders }
}

function throttle({ cosmos }: Unit, operation: RequestKind): Fault {
  return cosmos.faults.add({ match: { operation }, status: 429, retryAfter: throttledMs })
}

async function isMet(fault: Fault): Promise<void> {
  await expect.poll(() => fault.fired).toBeGreaterThan(0)
}

describe('a processor whose client repeats a throttled request in silence', () => {
  it('interrupts the read at once on stop, and releases the lease', async () => {
    const running = await unit()
    await running.processor.start()
    await running.telemetry.waitFor('feed.polled')
    await isMet(throttle(running, 'changeFeed'))
    await running.processor.stop()
    expect(running.telemetry.of('lease.released')).toMatchObject([{ reason: 'Shutdown' }])
  })

  it('interrupts the read when it loses the lease', async () => {
    const running = await unit()
    await running.processor.start()
    await running.telemetry.waitFor('feed.polled')
    await isMet(throttle(running, 'changeFeed'))
    const { resources } = await running.leases.items
      .query<{ id: string; Owner?: string | null }>('SELECT * FROM c')
      .fetchAll()
    const lease = resources.find(({ Owner }) => Owner === 'one')
    await running.leases.items.upsert({ ...lease, Owner: 'another' })
    const { reason } = await running.telemetry.waitFor('lease.released')
    expect(reason).toBe('LeaseLost')
  })

  it.each<RequestKind>(['container', 'pkranges', 'query', 'changeFeed', 'create'])(
    'can be stopped while its start waits for %s',
    async (kind) => {
      const running = await unit({ startFrom: 'now' })
      const fault = throttle(running, kind)
      const started = running.processor.start()
      await isMet(fault)
      await running.processor.stop()
      await started
      expect(running.processor.health().isRunning).toBe(false)
    },
  )

  it('can be stopped immediately after the call of start', async () => {
    const running = await unit()
    throttle(running, 'container')
    const started = running.processor.start()
    await running.processor.stop()
    await started
    expect(running.processor.health().isRunning).toBe(false)
  })

  it('reports with the page how often and how long the request was throttled', async () => {
    const running = await unit()
    await running.processor.start()
    await running.telemetry.waitFor('feed.polled')
    running.cosmos.faults.add({ match: { operation: 'changeFeed' }, status: 429, retryAfter: 1, times: 3 })
    const event = await running.telemetry.waitFor('feed.throttled')
    expect(event).toMatchObject({ leaseToken: '0', retries: 3, waitedMs: 3 })
    expect(running.telemetry.of('feed.failed')).toEqual([])
  })
})

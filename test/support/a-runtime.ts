import { acquire, type Lease, type LeaseStore } from '../../lease-store/index.js'
import type {
  ChangeFeed,
  ChangeFeedDelegate,
  LifecycleNotifications,
} from '../../src/change-feed-processor/index.js'
import { Notifications } from '../../src/change-feed-processor/notifications.js'
import { resolveOptions, type ChangeFeedProcessorOptions } from '../../src/change-feed-processor/options.js'
import type { Runtime } from '../../src/change-feed-processor/runtime.js'
import { seededRandom } from '../../src/platform/index.js'
import { TelemetryRecorder } from '../../src/telemetry/index.js'
import { aNewLease } from './a-lease.js'
import { cosmosWorld, type CosmosWorld } from './cosmos-world.js'

type Document = Record<string, unknown>

/** What a part of the processor is given, on one embedded Cosmos DB and a clock that stands still. */
export interface TestRuntime extends Runtime {
  readonly world: CosmosWorld
  readonly telemetry: TelemetryRecorder
}

/** What a test may replace. */
export interface RuntimeOverrides {
  readonly options?: Partial<ChangeFeedProcessorOptions<Document>>
  readonly callbacks?: LifecycleNotifications
  readonly delegate?: ChangeFeedDelegate<Document>
  readonly feed?: (feed: ChangeFeed) => ChangeFeed
  readonly leaseStore?: (store: LeaseStore) => LeaseStore
}

export async function aRuntime(overrides: RuntimeOverrides = {}): Promise<TestRuntime> {
  const world = await cosmosWorld('engine ports')
  const { clock } = world
  const telemetry = new TelemetryRecorder()
  const delegate = overrides.delegate ?? (() => undefined)
  const [feed, leaseStore] = [world.feed(), await world.leaseStore()]
  const self = { instanceName: 'self', incarnation: 'self-1' }
  return {
    world,
    feed: overrides.feed?.(feed) ?? feed,
    leaseStore: overrides.leaseStore?.(leaseStore) ?? leaseStore,
    delegate,
    self,
    telemetry,
    clock,
    random: seededRandom(1),
    notifications: new Notifications({
      callbacks: overrides.callbacks ?? {},
      telemetry,
      processorName: 'unit',
      instanceName: 'self',
    }),
    options: resolveOptions<Document>({
      monitoredContainer: feed,
      leaseContainer: leaseStore,
      processorName: 'unit',
      instanceName: 'self',
      onChanges: delegate,
      startFrom: 'beginning',
      clock,
      telemetry,
      ...overrides.options,
    }),
  }
}

/** A lease of the whole feed, created and acquired by the runtime's instance. */
export async function anAcquiredLease({ world, self }: TestRuntime): Promise<Lease> {
  const store = await world.leaseStore()
  const created = await store.create(aNewLease())
  if (created.kind !== 'created') throw new Error('the lease exists')
  const acquired = await store.replace(acquire(created.lease, self, world.clock.now()))
  if (acquired.kind !== 'written') throw new Error(acquired.kind)
  return acquired.lease
}

/** The lease as anybody reads it. */
export async function storedLease({ world }: TestRuntime): Promise<Lease | null> {
  return (await world.leaseStore()).read('0')
}

import { acquire, type Lease, type LeaseStore, type NewLease } from '../../lease-store/index.js'
import type {
  ChangeFeed,
  ChangeFeedDelegate,
  LifecycleNotifications,
} from '../../src/change-feed-processor/index.js'
import { Notifications } from '../../src/change-feed-processor/runtime/notifications.js'
import {
  readProcessorOptions,
  type AnyProcessorOptions,
  type ChangeFeedProcessorOptions,
} from '../../src/change-feed-processor/options/options.js'
import { PauseGate } from '../../src/change-feed-processor/runtime/pause-gate.js'
import { PagesAhead } from '../../src/change-feed-processor/runtime/pages-ahead.js'
import { SameContainer } from '../../src/change-feed-processor/feed/same-container.js'
import { pageReader, type Runtime } from '../../src/change-feed-processor/runtime/runtime.js'
import { userCodeOf } from '../../src/change-feed-processor/delivery/user-code.js'
import type { FailurePolicy } from '../../src/change-feed-processor/options/delivery-options.js'
import type { ChangeDelegate, PageDelegate } from '../../src/change-feed-processor/feed/delegate.js'
import type { AnyChange } from '../../src/change-feed-processor/feed/change-identity.js'
import { seededRandom } from '../../src/platform/index.js'
import { TelemetryRecorder } from '../../src/telemetry/index.js'
import { aNewLease } from './a-lease.js'
import { cosmosWorld, type CosmosWorld } from './cosmos-world.js'

type Document = Record<string, unknown>

/** The dependencies of the processor's parts, on one embedded Cosmos DB and a clock that stands still. */
export interface TestRuntime extends Runtime {
  readonly world: CosmosWorld
  readonly telemetry: TelemetryRecorder
}

/** The delegate of a test, and what belongs to it. */
export interface UserCode {
  readonly onChanges?: PageDelegate<AnyChange>
  readonly onChange?: ChangeDelegate<AnyChange>
  readonly orderBy?: (change: AnyChange) => string | number
  readonly failurePolicy?: FailurePolicy<AnyChange>
}

export interface RuntimeOverrides {
  readonly options?: Partial<ChangeFeedProcessorOptions<Document>>
  readonly callbacks?: LifecycleNotifications
  readonly delegate?: ChangeFeedDelegate<Document>
  readonly restAfterPageMs?: number
  /** All user code, in place of `delegate`. */
  readonly userCode?: UserCode
  readonly feed?: (feed: ChangeFeed) => ChangeFeed
  readonly leaseStore?: (store: LeaseStore) => LeaseStore
}

export async function aRuntime(overrides: RuntimeOverrides = {}): Promise<TestRuntime> {
  const world = await cosmosWorld('engine ports')
  const { clock } = world
  const telemetry = new TelemetryRecorder()
  const [feed, leaseStore] = [world.feed(), await world.leaseStore()]
  const self = { instanceName: 'self', incarnation: 'self-1' }
  const given = {
    monitoredContainer: feed,
    leaseContainer: leaseStore,
    processorName: 'unit',
    instanceName: 'self',
    startFrom: 'beginning',
    telemetry,
    ...(overrides.userCode ?? { onChanges: overrides.delegate ?? (() => undefined) }),
    ...overrides.options,
  } as AnyProcessorOptions<Document>
  const { restAfterPageMs } = overrides
  const internals = { clock, ...(restAfterPageMs === undefined ? {} : { restAfterPageMs }) }
  const { options, problems } = readProcessorOptions(given, internals)
  if (problems.length > 0) throw new Error(problems.join('; '))
  const monitored = overrides.feed?.(feed) ?? feed
  return {
    world,
    feed: monitored,
    readPage: pageReader(monitored, options.mode),
    sameContainer: new SameContainer(monitored),
    leaseStore: overrides.leaseStore?.(leaseStore) ?? leaseStore,
    ...(await userCodeOf(options, feed)),
    gate: new PauseGate(),
    pagesAhead: new PagesAhead(),
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
    options,
  }
}

/** Creates a lease of the whole feed and acquires it for the runtime's instance. */
export async function anAcquiredLease(
  { world, self }: TestRuntime,
  fields: Partial<NewLease> = {},
): Promise<Lease> {
  const store = await world.leaseStore()
  const created = await store.create(aNewLease(fields))
  if (created.kind !== 'created') throw new Error('the lease exists')
  const acquired = await store.replace(acquire(created.lease, self, world.clock.now()))
  if (acquired.kind !== 'written') throw new Error(acquired.kind)
  return acquired.lease
}

/** Reads the stored lease. */
export async function storedLease({ world }: TestRuntime): Promise<Lease | null> {
  return (await world.leaseStore()).read('0')
}

import type { LeaseStore } from '../../lease-store/index.js'
import {
  ChangeFeedProcessor,
  type ChangeFeed,
  type ChangeFeedDelegate,
  type ChangeFeedProcessorOptions,
} from '../../src/change-feed-processor/index.js'
import type { FeedHints } from '../../src/change-feed-processor/internal.js'
import { seededRandom } from '../../src/platform/index.js'
import { withoutUndefined, type Processes } from '../../src/platform/internal.js'
import { TelemetryRecorder } from '../../src/telemetry/index.js'
import { cosmosWorld, type CosmosWorld, type doors, type WorldOptions } from './cosmos-world.js'

type Document = Record<string, unknown>

/** One instance in a test, and its deliveries. */
export interface TestInstance {
  readonly processor: ChangeFeedProcessor<Document>
  readonly telemetry: TelemetryRecorder
  /** Ids in the order of delivery, without pages of failed deliveries. */
  readonly delivered: string[]
  /** The instance's notifications to its user, in order. */
  readonly notifications: string[]
  /** Leaves all further requests of the instance unanswered, as if its process were frozen. */
  cutOff(): void
}

export interface InstanceOptions extends Partial<
  Pick<
    ChangeFeedProcessorOptions<Document>,
    | 'startFrom'
    | 'leasesPerFeedRange'
    | 'maxLeases'
    | 'maxItemCount'
    | 'checkpointInterval'
    | 'stopTimeout'
    | 'pollInterval'
    | 'checkpoint'
    | 'failurePolicy'
    | 'delegateTimeout'
    | 'unhealthyReason'
  >
> {
  /** Called before a page counts as delivered. */
  readonly onChanges?: ChangeFeedDelegate<Document>
  readonly hints?: FeedHints
  readonly looksAtHints?: boolean
  readonly processes?: Processes
  /** What the instance says about itself in its leases. */
  readonly report?: () => Readonly<Record<string, unknown>>
}

/** Instances of one deployment unit on one embedded Cosmos DB and one virtual clock. */
export interface ProcessorWorld extends CosmosWorld {
  instance(name: string, options?: InstanceOptions): Promise<TestInstance>
  /** Returns the owner of each lease, by token. */
  owners(): Promise<Readonly<Record<string, string | null>>>
}

export async function processorWorld(
  door: (typeof doors)[number],
  options: WorldOptions = {},
): Promise<ProcessorWorld> {
  const world = await cosmosWorld(door, options)
  let seed = 0
  return {
    ...world,
    instance: async (instanceName, { onChanges, ...given } = {}) => {
      const { hints, looksAtHints, processes, report, ...chosen } = given
      const internals = withoutUndefined({ hints, looksAtHints, processes, report })
      const delivered: string[] = []
      const notifications: string[] = []
      const telemetry = new TelemetryRecorder()
      const line = switchable()
      seed += 1
      const processor = new ChangeFeedProcessor<Document>(
        {
          monitoredContainer: line.through<ChangeFeed>(world.feed()),
          leaseContainer: line.throughStore(await world.leaseStore()),
          processorName: 'unit',
          instanceName,
          telemetry,
          startFrom: 'beginning',
          ...chosen,
          onChanges: async (changes, context) => {
            await onChanges?.(changes, context)
            delivered.push(...changes.map((change) => change.id))
          },
          onLeaseAcquired: (token) => void notifications.push(`acquired ${token}`),
          onLeaseReleased: (token, reason) => void notifications.push(`released ${token}: ${reason}`),
          onError: (token, error) => void notifications.push(`error ${token}: ${error.name}`),
        },
        { clock: world.clock, random: seededRandom(seed), ...internals },
      )
      return { processor, telemetry, delivered, notifications, cutOff: line.cut }
    },
    owners: async () => {
      const { leases } = await (await world.leaseStore()).list()
      return Object.fromEntries(leases.map((lease) => [lease.leaseToken, lease.owner]))
    },
  }
}

/** Returns a connection that can be cut. Calls through it then never return. */
function switchable(): {
  cut: () => void
  through: <P extends object>(port: P) => P
  throughStore: (store: LeaseStore) => LeaseStore
} {
  let isCut = false
  const through = <P extends object>(port: P): P =>
    new Proxy(port, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return (...parameters: unknown[]): unknown =>
          isCut ? unanswered(parameters) : Reflect.apply(member, target, parameters)
      },
    })
  return {
    cut: () => {
      isCut = true
    },
    through,
    throughStore: (store) => {
      const initialization = through(store.initialization)
      return new Proxy(through(store), {
        get: (target, name): unknown =>
          name === 'initialization' ? initialization : Reflect.get(target, name),
      })
    },
  }
}

/** Waits without an answer. Rejects only when the caller aborts. */
function unanswered(parameters: readonly unknown[]): Promise<never> {
  return new Promise((_, reject) => {
    for (const parameter of parameters) {
      if (typeof parameter !== 'object' || parameter === null || !('signal' in parameter)) continue
      if (parameter.signal instanceof AbortSignal)
        parameter.signal.addEventListener('abort', () => {
          reject(new Error('given up'))
        })
    }
  })
}

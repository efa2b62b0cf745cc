import { CosmosLeaseStore } from '../../lease-store/index.js'
import { CosmosChangeFeed, FeedHints, SharedChangeFeed } from '../../src/change-feed-processor/internal.js'
import { createInProcessCosmos } from '../../src/emulator/index.js'
import { openConnection } from '../../src/connection/connection.js'
import { openContainers } from '../../src/connection/containers.js'
import { seededRandom, VirtualClock } from '../../src/platform/index.js'
import { condition, defineAgent, defineWorkflow, type Reference } from '../../src/sas/index.js'
import {
  CosmosJobQueries,
  CosmosStateStore,
  beginningElsewhere,
  PauseBoard,
  beginningHere,
  createAgents,
  createNotifier,
  createScheduler,
  createSupervisor,
  JobClient,
  JobEndings,
  replyChannel,
  InProcessPath,
  wakingReaders,
  type Unit,
  type UnitOptions,
} from '../../src/sas/internal.js'
import { frozenFeed } from '../../src/testing/frozen-feed.js'
import { silent } from '../../src/telemetry/internal.js'

/** The requests to the embedded Cosmos DB, and their charges. */
export class Bill {
  private readonly lines = new Map<string, { requests: number; charge: number }>()

  readonly add = (operation: string, charge: number): void => {
    const line = this.lines.get(operation) ?? { requests: 0, charge: 0 }
    this.lines.set(operation, { requests: line.requests + 1, charge: line.charge + charge })
  }

  clear(): void {
    this.lines.clear()
  }

  requests(isCounted: (operation: string) => boolean): number {
    return this.sum(isCounted, 'requests')
  }

  charge(isCounted: (operation: string) => boolean = () => true): number {
    return this.sum(isCounted, 'charge')
  }

  private sum(isCounted: (operation: string) => boolean, what: 'requests' | 'charge'): number {
    return [...this.lines].reduce((sum, [name, line]) => sum + (isCounted(name) ? line[what] : 0), 0)
  }
}

function isFeedRead(operation: string): boolean {
  return operation === 'feed.read'
}

/** The deployment whose costs are measured, as a question to the formulas of `stepward cost`. */
export const deployed = {
  documentKilobytes: 1.1,
  indexing: 'lean',
  isTogether: true,
  partitions: 1,
  instances: 1,
  hasNotifier: false,
} as const

/** Checks whether an operation writes to the state container. */
export function isStateWrite(operation: string): boolean {
  return ['state.create', 'state.replace', 'state.batch'].includes(operation)
}

const shop = defineAgent('shop', {
  pass: (input: { readonly value: number }) => input,
  count: (_input: { readonly value: number }, { previous }) => ({
    value: ((previous as { readonly value: number } | null)?.value ?? 0) + 1,
  }),
})

/** A workflow of three steps, each of which needs the result of the previous one. */
export const threeSteps = defineWorkflow<{ readonly value: number }>('three-steps', (job) => {
  const first = job.step('first', shop.pass, { value: job.input.value }, { undo: 'none' })
  const second = job.step('second', shop.pass, { value: first.output.value }, { undo: 'none' })
  job.step('third', shop.pass, { value: second.output.value }, { undo: 'none' })
})

/** Two steps whose attempts are too short to begin in the job. */
export const quickSteps = defineWorkflow<{ readonly value: number }>('quick-steps', (job) => {
  const options = { undo: 'none', completeWithin: '1500ms' } as const
  const first = job.step('first', shop.pass, { value: job.input.value }, options)
  job.step('second', shop.pass, { value: first.output.value }, options)
})

/** The three steps, of which one has a limit, or the whole job. */
export const limitedSteps = (of: 'first' | 'second' | 'job', perPartition = false) =>
  defineWorkflow<{ readonly value: number }>('limited-steps', (job) => {
    const limits = [{ key: of, atOnce: 5, ...(perPartition && { perPartition }) }]
    if (of === 'job') job.limits(limits)
    const optionsOf = (name: string) => ({ undo: 'none', ...(name === of && { limits }) }) as const
    const first = job.step('first', shop.pass, { value: job.input.value }, optionsOf('first'))
    const second = job.step('second', shop.pass, { value: first.output.value }, optionsOf('second'))
    job.step('third', shop.pass, { value: second.output.value }, { undo: 'none' })
  })

export const oneStep = defineWorkflow<{ readonly value: number }>('one-step', (job) => {
  job.step('pass', shop.pass, { value: job.input.value }, { undo: 'none' })
})

/** A list of which each item is a job of one step. */
export const listed = listOf(100)

/** The same list with another number of items under way. */
export function listOf(atOnce: number) {
  return defineWorkflow<{ readonly items: readonly { readonly value: number }[] }>(
    'listed',
    (job) => void job.forEach('each', job.input.items, oneStep, { atMost: 1_000, atOnce }),
  )
}

/** A step in this number of rounds, with a pause between them or without. */
export const repeated = (rounds: number, every?: '1s') =>
  defineWorkflow<{ readonly value: number }>('repeated', (job) => {
    const until = (output: Reference<{ readonly value: number }>) => condition.atLeast(output.value, rounds)
    const repeat = { until, undo: 'none', ...(every && { every }) } as const
    job.repeat('count', shop.count, { value: 0 }, repeat)
  })

/** A store of one partition, one instance of each role with every default, and a client, on virtual time. */
export interface PricedWorld {
  readonly clock: VirtualClock
  readonly bill: Bill
  readonly client: JobClient
  stop(): Promise<void>
}

/** The instances of a priced world. */
export interface PricedUnits {
  /** Whether all of them share a process. Otherwise each learns of the others' writes only from the feed. */
  readonly together: boolean
  /** Whether the client shares the process of the roles. Default: as the roles do. */
  readonly isClientApart?: boolean
  /** Default false. */
  readonly hasNotifier?: boolean
}

export async function pricedWorld({
  together,
  isClientApart = !together,
  hasNotifier = false,
}: PricedUnits): Promise<PricedWorld> {
  const [clock, random, bill] = [new VirtualClock(), seededRandom(1), new Bill()]
  const cosmos = createInProcessCosmos({ clock, random })
  const containers = await openContainers(await openConnection({ client: cosmos.client() }))
  const onCharge = bill.add
  const state = { container: containers.state, onCharge }
  const [store, queries] = [new CosmosStateStore(state), new CosmosJobQueries(state)]
  const [hints, inProcessPath, endings] = [new FeedHints(), new InProcessPath(), new JobEndings()]
  const feed = new SharedChangeFeed({ feed: frozenFeed(new CosmosChangeFeed(state)), clock })
  const optionsOf = async (processorName: string): Promise<UnitOptions> => ({
    store,
    feed: together ? feed : new CosmosChangeFeed(state),
    leases: await CosmosLeaseStore.open({
      leaseContainer: containers.leases,
      monitoredContainer: containers.state,
      processorName,
      onCharge,
    }),
    processorName,
    instanceName: 'one',
    clock,
    random,
    ...(together ? { hints, inProcessPath } : {}),
  })
  const units: readonly Unit[] = [
    createScheduler({ ...(await optionsOf('scheduler')), onJobEnded: (ended) => endings.tell(ended) }),
    createAgents({ ...(await optionsOf('agents')), agents: [shop], ...(together && { wakeUps: endings }) }),
    createSupervisor({
      ...(await optionsOf('supervisor')),
      agentsLeases: (await optionsOf('agents')).leases,
    }),
    ...(hasNotifier
      ? [createNotifier({ ...(await optionsOf('notifier')), channel: replyChannel(null) })]
      : []),
  ]
  await Promise.all(units.map((unit) => unit.start()))
  const waking = { store: wakingReaders(store, hints), wakeUps: endings }
  const inside = { ...waking, ...beginningHere(inProcessPath, hints) }
  const board = new PauseBoard({ store, clock, telemetry: silent })
  // Hints of another process reach the roles as if they were local.
  const outside = {
    ...waking,
    ...beginningElsewhere(() => 'one', { hints, board, now: () => clock.now(), onBegun: () => undefined }),
  }
  return {
    clock,
    bill,
    client: new JobClient({
      store,
      queries,
      clock,
      telemetry: silent,
      ...(isClientApart ? (together ? outside : {}) : inside),
    }),
    stop: async () => {
      await Promise.all([...units.map((unit) => unit.stop()), clock.advance(5_000)])
    },
  }
}

/** Requests and request units for one job. */
interface CostPerJob {
  readonly writeRequests: number
  readonly writeCharge: number
  readonly feedReads: number
  readonly feedCharge: number
  /** The charge of all requests. */
  readonly charge: number
}

/** Submits `count` jobs at this rate and gives them time to end. Returns the bill per job. */
export async function steadyLoad(
  { clock, client, bill }: PricedWorld,
  { count, perSecond }: { readonly count: number; readonly perSecond: number },
): Promise<CostPerJob> {
  for (let number = -perSecond; number < count; number += 1) {
    // The units need the first second to start.
    if (number === 0) bill.clear()
    await client.submit(threeSteps, { value: number }, { jobId: `job-${number}` })
    await clock.advance(1_000 / perSecond)
  }
  return {
    writeRequests: bill.requests(isStateWrite) / count,
    writeCharge: bill.charge(isStateWrite) / count,
    feedReads: bill.requests(isFeedRead) / count,
    feedCharge: bill.charge(isFeedRead) / count,
    charge: bill.charge() / count,
  }
}

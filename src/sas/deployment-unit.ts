import {
  ChangeFeedProcessor,
  type ChangeFeed,
  type ChangeFeedContext,
  type Change,
  type FeedHints,
  type ProcessorHealth,
} from '../change-feed-processor/index.js'
import type { FeedRange, LeaseStore } from '../../lease-store/index.js'
import { systemClock, systemRandom, type Clock, type Random } from '../platform/index.js'
import { silent, type Telemetry } from '../telemetry/index.js'
import type { Agent } from './agents/agent.js'
import { Agents } from './agents/agents.js'
import type { EndedJob } from './in-process/job-endings.js'
import { Notifier, type NotifierSettings } from './notifier/notifier.js'
import type { ReplyChannel } from './notifier/reply.js'
import { Scheduler } from './scheduler/scheduler.js'
import type { StateStore } from './store/state-store.js'
import type { Shortcut } from './in-process/shortcut.js'
import { Supervisor, type SweepResult } from './supervisor/supervisor.js'
import { wakingReaders, type Reader } from './in-process/waking-store.js'

/** What every instance of a unit needs: the documents, the feed of their changes, and the leases of this unit. */
export interface UnitOptions {
  readonly store: StateStore
  readonly feed: ChangeFeed
  /** The leases of this unit; each role has its own. */
  readonly leases: LeaseStore
  /** Names the unit; all its instances use the same. */
  readonly processorName: string
  /** Names this instance; no two use the same. */
  readonly instanceName: string
  readonly timing?: UnitTiming
  /** Shared by everything in this process that reads or writes the state container. */
  readonly hints?: FeedHints
  /** Shared by the scheduler and the agents of this process; without it they meet in the feed only. */
  readonly shortcut?: Shortcut
  readonly telemetry?: Telemetry
  readonly clock?: Clock
  readonly random?: Random
}

/** Intervals of the processor, in milliseconds; its defaults apply to what is left out. */
export interface UnitTiming {
  readonly leaseAcquireIntervalMs?: number
  readonly leaseRenewIntervalMs?: number
  readonly leaseExpirationIntervalMs?: number
  readonly checkpointIntervalMs?: number
  readonly pollIntervalMs?: number | { readonly min: number; readonly max: number }
  readonly stopTimeoutMs?: number
}

/** One instance of one role. */
export interface Unit {
  /** Resolves when it takes part: leases exist, loops run. */
  start(): Promise<void>
  /** Looks for free leases now instead of at the next cycle. */
  rebalance(): void
  /** The health of its processor, without a request. */
  health(): ProcessorHealth
  /** Lets what is under way finish, checkpoints, releases every lease. */
  stop(): Promise<void>
}

interface Role {
  /** Why this instance should hold no leases at the moment; null for no reason. */
  problem?(): string | null
  onChanges(changes: readonly Change[], context: ChangeFeedContext): Promise<void> | void
  onLeaseAcquired?(leaseToken: string, feedRange: FeedRange): void
  onLeaseReleased?(leaseToken: string): void
  start?(): void
  /** After the leases are released: lets what runs finish. */
  stop?(): Promise<void>
}

/** An instance of the scheduler: claims jobs, dispatches their steps, ends them. */
export function createScheduler(
  options: UnitOptions & {
    /** Told of every job that this instance has ended. */
    readonly onJobEnded?: (ended: EndedJob) => void
  },
): Unit {
  const { hints, shortcut, onJobEnded } = options
  const scheduler = new Scheduler({
    ...resolved(options),
    onOpenSteps: (physicalRangeId) => hints?.part('agents').notify(physicalRangeId),
    ...(onJobEnded === undefined ? {} : { onJobEnded }),
  })
  return unit(options, 'scheduler', {
    onChanges: (changes, context) => scheduler.onChanges(changes, context),
    onLeaseAcquired: (leaseToken) =>
      shortcut?.scheduler.open(leaseToken, {
        begin: (accepted) => scheduler.begin(accepted, leaseToken),
        conclude: (ended) => scheduler.conclude(ended, leaseToken),
      }),
    onLeaseReleased: (leaseToken) => {
      shortcut?.scheduler.close(leaseToken)
      scheduler.onLeaseReleased(leaseToken)
    },
  })
}

/** An instance of the agents: runs the handlers of open steps. */
export function createAgents(
  options: UnitOptions & {
    readonly agents: readonly Agent[]
    /** Handlers that run at once. Default 16. */
    readonly slots?: number
    /** How long handlers may go on when the instance stops. Default 3,000. */
    readonly stopBudgetMs?: number
    /**
     * Why this instance should take no work at the moment, or null; asked often, so it must know. While there is a reason
     * it gives its leases back, as it does when it cannot record outcomes, or the circuit breakers of all its agents are
     * open. Default: always null.
     */
    readonly unhealthyBecause?: () => string | null
  },
): Unit {
  const { agents: known, slots, stopBudgetMs = 3_000, shortcut, unhealthyBecause } = options
  const agents = new Agents({
    ...resolved(options),
    agents: known,
    failoverMs: failoverMs(options.timing),
    ...(slots === undefined ? {} : { slots }),
    ...(unhealthyBecause === undefined ? {} : { unhealthyBecause }),
  })
  return unit(options, 'agents', {
    problem: () => agents.problem(),
    onChanges: (changes, context) => agents.onChanges(changes, context),
    onLeaseAcquired: (leaseToken) =>
      shortcut?.agents.open(leaseToken, {
        start: (step) => agents.startNow(step, leaseToken),
        token: agents.token,
      }),
    onLeaseReleased: (leaseToken) => shortcut?.agents.close(leaseToken),
    stop: () => agents.stop(stopBudgetMs),
  })
}

/** An instance of the supervisor: finds steps whose deadline has passed and writes the recovery. */
export function createSupervisor(
  options: UnitOptions & { readonly sweepIntervalMs?: number; readonly deadlineGraceMs?: number },
): Unit {
  const { sweepIntervalMs, deadlineGraceMs } = options
  const supervisor = new Supervisor({
    ...resolved(options),
    ...(sweepIntervalMs === undefined ? {} : { sweepIntervalMs }),
    ...(deadlineGraceMs === undefined ? {} : { deadlineGraceMs }),
  })
  return unit(options, 'supervisor', {
    onChanges: (changes, { leaseToken }) => supervisor.onChanges(changes, leaseToken),
    onLeaseAcquired: (leaseToken, { min }) => supervisor.onLeaseAcquired(leaseToken, min === ''),
    onLeaseReleased: (leaseToken) => supervisor.onLeaseReleased(leaseToken),
    start: () => supervisor.start(),
    stop: () => supervisor.stop(),
  })
}

/**
 * One look of a supervisor at everything overdue, without leases and without waiting: for hosts that live briefly, started
 * by a timetable. Beside running supervisors it does no harm: each step is recovered by one of them.
 *
 * @throws StoreUnavailable or StoreRefused when the store could not be asked
 */
export function superviseOnce(
  options: Pick<UnitOptions, 'store' | 'instanceName' | 'telemetry' | 'clock'> & {
    readonly deadlineGraceMs?: number
  },
): Promise<SweepResult> {
  const { store, instanceName, telemetry = silent, clock = systemClock, deadlineGraceMs } = options
  const grace = deadlineGraceMs === undefined ? {} : { deadlineGraceMs }
  return new Supervisor({ store, instanceName, telemetry, clock, ...grace }).runOnce()
}

/**
 * An instance of the notifier: sends the notices of jobs with a `replyTo`, and tells operators of jobs that are flagged.
 */
export function createNotifier(
  options: UnitOptions & NotifierSettings & { readonly channel: ReplyChannel },
): Unit {
  const notifier = new Notifier({ ...options, ...resolved(options), store: options.store })
  return unit(options, 'notifier', {
    onChanges: (changes, { leaseToken }) => notifier.onChanges(changes, leaseToken),
    onLeaseAcquired: (leaseToken, { min }) => notifier.onLeaseAcquired(leaseToken, min === ''),
    onLeaseReleased: (leaseToken) => notifier.onLeaseReleased(leaseToken),
    start: () => notifier.start(),
    stop: () => notifier.stop(),
  })
}

/** Until an instance that died is known to be dead, and the next look of another at the leases. */
function failoverMs({
  leaseExpirationIntervalMs = 60_000,
  leaseAcquireIntervalMs = 17_000,
}: UnitTiming = {}) {
  return leaseExpirationIntervalMs + leaseAcquireIntervalMs
}

function resolved({ store, instanceName, hints, shortcut, telemetry, clock, random }: UnitOptions) {
  return {
    ...(shortcut === undefined ? {} : { shortcut }),
    store: hints === undefined ? store : wakingReaders(store, hints),
    instanceName,
    telemetry: telemetry ?? silent,
    clock: clock ?? systemClock,
    random: random ?? systemRandom,
  }
}

/**
 * Poll intervals of each role. The scheduler and the agents poll often soon after activity, because writes of other
 * processes come without a hint. Their pause doubles, so that costs only three or four more polls before they are idle.
 * The supervisor may poll rarely: deadlines are further off, and it has its sweep. For the notifier, people accept half a
 * second when another process writes. The longer the pause, the fewer versions of a document that changes often are read.
 */
const pollIntervalsMs: Readonly<Record<Reader, { readonly min: number; readonly max: number }>> = {
  scheduler: { min: 10, max: 5_000 },
  agents: { min: 10, max: 5_000 },
  supervisor: { min: 1_000, max: 10_000 },
  notifier: { min: 500, max: 10_000 },
}

/** A role as one instance of a change feed processor. It reads from the beginning: no job may be missed (R163). */
function unit(options: UnitOptions, reader: Reader, role: Role): Unit {
  const { feed, leases, processorName, instanceName, timing, hints, telemetry, clock, random } = options
  const processor = new ChangeFeedProcessor({
    monitoredContainer: feed,
    leaseContainer: leases,
    processorName,
    instanceName,
    startFrom: 'beginning',
    pollIntervalMs: pollIntervalsMs[reader],
    ...(timing?.pollIntervalMs === undefined ? { restAfterPageMs: pollIntervalsMs[reader].min } : {}),
    ...timing,
    unhealthyBecause: () => role.problem?.() ?? null,
    onChanges: async (changes, context) => role.onChanges(changes, context),
    onLeaseAcquired: (leaseToken, feedRange) => role.onLeaseAcquired?.(leaseToken, feedRange),
    onLeaseReleased: (leaseToken) => role.onLeaseReleased?.(leaseToken),
    ...(hints === undefined ? {} : { hints: hints.part(reader) }),
    ...(telemetry === undefined ? {} : { telemetry }),
    ...(clock === undefined ? {} : { clock }),
    ...(random === undefined ? {} : { random }),
  })
  return {
    start: async () => {
      role.start?.()
      await processor.start()
    },
    rebalance: () => processor.rebalance(),
    health: () => processor.health(),
    stop: async () => {
      await processor.stop()
      await role.stop?.()
    },
  }
}

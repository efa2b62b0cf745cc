import {
  ChangeFeedProcessor,
  type ChangeFeed,
  type ChangeFeedContext,
  type Change,
  type ProcessorHealth,
  type ProcessorTiming,
} from '../change-feed-processor/index.js'
import type { FeedHints } from '../change-feed-processor/internal.js'
import type { FeedRange, LeaseReport, LeaseStore } from '../../lease-store/index.js'
import { systemClock, type Clock, type Random } from '../platform/index.js'
import { machineProcesses, systemRandom, withoutUndefined, type Processes } from '../platform/internal.js'
import type { Telemetry } from '../telemetry/index.js'
import { silent } from '../telemetry/internal.js'
import type { Agent } from './agents/agent.js'
import { Agents } from './agents/agents.js'
import { announced, type Serving } from './agents/announced.js'
import type { Reader } from './decisions/readers.js'
import type { EndedJob } from './in-process/job-endings.js'
import { withItems, type ItemsAgentOptions } from './items/items-agent.js'
import { Notifier } from './notifier/notifier.js'
import { Payloads } from './payloads/payloads.js'
import { withPayloadSweep } from './payloads/payload-sweep.js'
import type { PayloadStore } from './payloads/payload-store.js'
import type { ReplyChannel } from './notifier/reply.js'
import { beginSubmission } from './scheduler/begin-submission.js'
import { Scheduler } from './scheduler/scheduler.js'
import { PauseBoard } from './pauses/pause-board.js'
import type { StateStore } from './store/state-store.js'
import type { InProcessPath } from './in-process/in-process-path.js'
import { Supervisor } from './supervisor/supervisor.js'
import {
  agentsShape,
  failoverMs,
  notifierShape,
  pollIntervals,
  roleTiming,
  settingsOf,
  supervisorTimes,
  type AgentsSettings,
  type NotifierSettings,
  type SupervisorSettings,
} from './unit-settings.js'
import { beginningHere, wakingReaders } from './in-process/waking-store.js'
import { cancelRun } from './client/cancel-run.js'
import { tellJobs } from './client/pauses/tell-jobs.js'

/** Options of every instance: the documents, the feed of their changes, the unit's leases, and names. */
export interface UnitOptions {
  readonly store: StateStore
  readonly feed: ChangeFeed
  /** The leases of this unit. Each role has its own leases. */
  readonly leases: LeaseStore
  /** The name of the unit, which all its instances use. */
  readonly processorName: string
  /** The name of this instance, which no other instance uses. */
  readonly instanceName: string
  /** Intervals of the change feed processor. Omitted intervals have the processor's defaults. */
  readonly timing?: ProcessorTiming
  /** Hints about new writes, shared by all readers and writers of the state container in this process. */
  readonly hints?: FeedHints
  /** The path between the scheduler and the agents of this process. Default: they use only the feed. */
  readonly inProcessPath?: InProcessPath
  /** The store of large values. Default: none. */
  readonly payloads?: PayloadStore
  readonly telemetry?: Telemetry
  readonly clock?: Clock
  readonly random?: Random
  /** The processes of this machine, by which the leases and claims of dead processes are found early. */
  readonly processes?: Processes
  /** The address at which this process takes hints. */
  readonly wakeAddress?: string
  /** The version of this package, which the leases contain. */
  readonly version?: string
}

/** One instance of one role. */
export interface Unit {
  /** Starts the instance. Resolves when the leases exist and the loops run. */
  start(): Promise<void>
  /** Acquires free leases now instead of in the next cycle. */
  rebalance(): void
  /** Returns the health of the instance's change feed processor, without a request. */
  health(): ProcessorHealth
  /**
   * Returns the reason, found at the last check of the leases, why this instance takes no work, or null.
   */
  unhealthyReason(): string | null
  /** Stores checkpoints and releases every lease. Then waits for running work, within its time limit. */
  stop(): Promise<void>
}

interface Role {
  /** Returns what the instance says about its state in its leases. */
  report?(): LeaseReport
  /** Returns the reason why this instance should own no leases at the moment, or null. */
  unhealthyReason?(): string | null
  onChanges(changes: readonly Change[], context: ChangeFeedContext): Promise<void> | void
  onLeaseAcquired?(leaseToken: string, feedRange: FeedRange): void
  onLeaseReleased?(leaseToken: string): void
  start?(): void
  /** Waits for running work to finish. Called after the leases are released. */
  stop?(): Promise<void>
}

/** Creates an instance of the scheduler, which claims jobs, dispatches their steps and ends them. */
export function createScheduler(
  options: UnitOptions & {
    /** Called for every job that this instance has ended. */
    readonly onJobEnded?: (ended: EndedJob) => void
  },
): Unit {
  const { hints, inProcessPath, onJobEnded, instanceName } = options
  const common = resolved(options)
  const board = new PauseBoard(common)
  const scheduler = new Scheduler({
    ...common,
    board,
    onOpenSteps: (physicalRangeId) => hints?.part('agents').notify(physicalRangeId),
    ...withoutUndefined({ onJobEnded }),
  })
  return unit(options, 'scheduler', {
    onChanges: (changes, context) => scheduler.onChanges(changes, context),
    onLeaseAcquired: (leaseToken, { min, max }) => {
      board.leaseAcquired(leaseToken)
      inProcessPath?.scheduler.open(leaseToken, {
        isWhole: min === '' && max === 'FF',
        beginSubmission: (job, steps) => {
          const firstBy = inProcessPath.agents.at(leaseToken)?.token ?? null
          const { gates, partitions } = scheduler
          const by = { scheduler: instanceName, firstBy, pauses: () => board.usable }
          return beginSubmission(job, steps, { ...common, ...by, gates, partitions })
        },
        begin: (accepted) => scheduler.begin(accepted, leaseToken),
        settleAndSchedule: (ended) => scheduler.settleAndSchedule(ended, leaseToken),
        foresee: (changes) => scheduler.known.foresee(changes),
      })
    },
    onLeaseReleased: (leaseToken) => {
      inProcessPath?.scheduler.close(leaseToken)
      scheduler.onLeaseReleased(leaseToken)
    },
    start: () => board.start(hints?.part('scheduler')),
    stop: async () => {
      await scheduler.stop()
      await board.stop()
    },
  })
}

/**
 * Creates an instance of the role `agents`. The instance runs the handlers of open steps.
 *
 * @throws TypeError that lists every problem of the settings
 */
export function createAgents(
  options: UnitOptions &
    AgentsSettings &
    Pick<ItemsAgentOptions, 'wakeUps' | 'endHints'> & {
      readonly agents: readonly Agent[]
      /**
       * Lets the user's code report that this instance should take no work at the moment. Returns the reason,
       * or null if the instance may take work. The function is called often, so it must answer from memory.
       * While there is a reason, the instance gives its leases back. The instance also gives its leases back
       * if it cannot record outcomes, or if the circuit breakers of all its agents are open. Default: always
       * null.
       */
      readonly unhealthyReason?: () => string | null
    },
): Unit {
  const { agents: known, hints, inProcessPath, unhealthyReason, wakeUps, endHints } = options
  const { slots, stopBudget: stopBudgetMs } = settingsOf(agentsShape, options)
  const common = resolved(options)
  const beginning =
    hints === undefined || inProcessPath === undefined ? {} : beginningHere(inProcessPath, hints)
  const payloads = new Payloads(options.payloads ?? null, common.random)
  const agents = new Agents({
    ...common,
    processes: options.processes ?? machineProcesses,
    agents: withItems(known, { ...common, ...beginning, payloads, wakeUps, endHints }),
    failoverMs: failoverMs(options.timing),
    payloads,
    slots,
    ...withoutUndefined({ unhealthyReason }),
  })
  return unit({ ...options, ...announced(known) }, 'agents', {
    unhealthyReason: () => agents.unhealthyReason(),
    report: () => agents.report(),
    onChanges: (changes, context) => agents.onChanges(changes, context),
    onLeaseAcquired: (leaseToken) =>
      inProcessPath?.agents.open(leaseToken, {
        start: (step) => agents.startNow(step, leaseToken),
        token: agents.token,
      }),
    onLeaseReleased: (leaseToken) => inProcessPath?.agents.close(leaseToken),
    stop: () => agents.stop(stopBudgetMs),
  })
}

/**
 * Creates an instance of the supervisor, which finds steps past their deadline and writes their recovery.
 *
 * @throws TypeError that lists every problem of the settings
 */
export function createSupervisor(options: UnitOptions & SupervisorSettings): Unit {
  const { hints, inProcessPath } = options
  const common = resolved(options)
  const isHere = hints !== undefined && inProcessPath !== undefined
  const supervisor = new Supervisor({
    ...common,
    ...supervisorTimes(options),
    ...(isHere ? beginningHere(inProcessPath, hints) : {}),
    cancel: cancelRun(common),
    tellJobs: tellJobs(common),
  })
  const role: Role = {
    onChanges: (changes, { leaseToken }) => supervisor.onChanges(changes, leaseToken),
    onLeaseAcquired: (leaseToken, { min }) => supervisor.onLeaseAcquired(leaseToken, min === ''),
    onLeaseReleased: (leaseToken) => supervisor.onLeaseReleased(leaseToken),
    start: () => supervisor.start(),
    stop: () => supervisor.stop(),
  }
  return unit(options, 'supervisor', withPayloadSweep(role, { ...common, payloads: options.payloads }))
}

/**
 * Creates an instance of the notifier, which sends the notices of jobs with a `replyTo` and alerts operators
 * to flagged jobs.
 *
 * @throws TypeError that lists every problem of the settings
 */
export function createNotifier(
  options: UnitOptions & NotifierSettings & { readonly channel: ReplyChannel },
): Unit {
  const { channel, store } = options
  const { notifySweepInterval: sweepIntervalMs, ...settings } = settingsOf(notifierShape, options)
  const { remindAfter: remindAfterMs, sendTimeout: sendTimeoutMs, ...others } = settings
  const times = { remindAfterMs, sendTimeoutMs, sweepIntervalMs }
  const notifier = new Notifier({ ...resolved(options), ...others, ...times, channel, store })
  return unit(options, 'notifier', {
    onChanges: (changes, { leaseToken }) => notifier.onChanges(changes, leaseToken),
    onLeaseAcquired: (leaseToken, { min }) => notifier.onLeaseAcquired(leaseToken, min === ''),
    onLeaseReleased: (leaseToken) => notifier.onLeaseReleased(leaseToken),
    start: () => notifier.start(),
    stop: () => notifier.stop(),
  })
}

function resolved({ store, instanceName, hints, inProcessPath, telemetry, clock, random }: UnitOptions) {
  return {
    ...withoutUndefined({ inProcessPath }),
    store: hints === undefined ? store : wakingReaders(store, hints),
    instanceName,
    telemetry: telemetry ?? silent,
    clock: clock ?? systemClock,
    random: random ?? systemRandom,
  }
}

/** Runs a role on a change feed processor that reads from the beginning, so that no job is missed (R163). */
function unit(options: UnitOptions & Serving, reader: Reader, role: Role): Unit {
  const { feed, leases, processorName, instanceName, timing, hints, telemetry } = options
  const { clock, random, processes, wakeAddress, version, serves } = options
  const self = { clock, random, processes, wakeAddress, version, serves }
  const internals = withoutUndefined({
    restAfterPageMs: timing?.pollInterval ? undefined : pollIntervals[reader].min,
    hints: hints?.part(reader),
    report: () => role.report?.() ?? null,
    ...self,
  })
  const processor = new ChangeFeedProcessor(
    {
      monitoredContainer: feed,
      leaseContainer: leases,
      processorName,
      instanceName,
      startFrom: 'beginning',
      ...roleTiming(timing),
      pollInterval: timing?.pollInterval ?? pollIntervals[reader],
      unhealthyReason: () => role.unhealthyReason?.() ?? null,
      onChanges: async (changes, context) => role.onChanges(changes, context),
      onLeaseAcquired: (leaseToken, feedRange) => role.onLeaseAcquired?.(leaseToken, feedRange),
      onLeaseReleased: (leaseToken) => role.onLeaseReleased?.(leaseToken),
      ...withoutUndefined({ telemetry }),
    },
    internals,
  )
  return {
    start: () => {
      role.start?.()
      return processor.start()
    },
    rebalance: () => processor.rebalance(),
    health: () => processor.health(),
    unhealthyReason: () => processor.unhealthyReason(),
    stop: () => processor.stop().then(() => role.stop?.()),
  }
}

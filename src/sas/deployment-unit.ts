import { machineProcesses, withoutUndefined } from '../platform/internal.js'
import type { Agent } from './agents/agent.js'
import { Agents } from './agents/agents.js'
import { announced } from './agents/agents-report.js'
import type { EndedJob } from './in-process/job-endings.js'
import { withItems, type ItemsAgentOptions } from './items/items-agent.js'
import { Notifier } from './notifier/notifier.js'
import { Payloads } from './payloads/payloads.js'
import { withPayloadSweep } from './payloads/payload-sweep.js'
import type { ReplyChannel } from './notifier/reply.js'
import { resolved, unit, type Role, type Unit, type UnitOptions } from './role-unit.js'
import { beginSubmission } from './scheduler/begin-submission.js'
import { Scheduler } from './scheduler/scheduler.js'
import { PauseBoard } from './pauses/pause-board.js'
import { Supervisor } from './supervisor/supervisor.js'
import { askAgents, type AskAgentsOptions } from './ask-agents.js'
import {
  agentsShape,
  failoverMs,
  notifierShape,
  settingsOf,
  supervisorTimes,
  type AgentsSettings,
  type NotifierSettings,
  type SupervisorSettings,
} from './unit-settings.js'
import { beginningHere } from './in-process/waking-store.js'
import { cancelRun } from './client/cancel-run.js'
import { tellJobs } from './client/pauses/tell-jobs.js'

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
          const here = inProcessPath.agents.at(leaseToken)
          const { gates, partitions } = scheduler
          const offered = {
            firstBy: here?.token ?? null,
            ...(here && { agents: scheduler.inJobs.reserving(here, leaseToken) }),
          }
          const by = { scheduler: instanceName, ...offered, pauses: () => board.usable }
          return beginSubmission(job, steps, { ...common, ...by, gates, partitions })
        },
        begin: (accepted) => scheduler.begin(accepted, leaseToken),
        settleAndSchedule: (ended) => scheduler.settleAndSchedule(ended, leaseToken),
        foresee: (changes) => scheduler.known.foresee(changes),
        documentAttempts: () => scheduler.documentAttempts(leaseToken),
      })
    },
    onLeaseClosing: (leaseToken) => {
      inProcessPath?.scheduler.close(leaseToken)
      return scheduler.documentAttempts(leaseToken)
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
  const othersWait = (): boolean => agents.hasWaitingRounds
  const agents: Agents = new Agents({
    ...common,
    processes: options.processes ?? machineProcesses,
    agents: withItems(known, { ...common, ...beginning, payloads, wakeUps, endHints, othersWait }),
    payloads,
    slots,
    ...withoutUndefined({ unhealthyReason }),
  })
  return unit({ ...options, ...announced(known) }, 'agents', {
    unhealthyReason: () => agents.unhealthyReason(),
    report: (leaseToken) => agents.report(leaseToken),
    onChanges: (changes, context) => agents.onChanges(changes, context),
    onLeaseAcquired: (leaseToken, feedRange) =>
      inProcessPath?.agents.open(leaseToken, {
        start: (step) => agents.startNow(step, leaseToken),
        promise: (step, ended) => agents.promise(step, ended),
        withdraw: (step) => agents.withdraw(step),
        maker: agents.maker,
        token: agents.token,
        feedRange,
        position: () => agents.waiting.position(leaseToken),
        hasBegun: (step) => agents.hasBegun(step),
      }),
    onLeaseClosing: async (leaseToken) => {
      inProcessPath?.agents.close(leaseToken)
      await inProcessPath?.scheduler.at(leaseToken)?.documentAttempts()
    },
    onLeaseReleased: (leaseToken) => {
      inProcessPath?.agents.close(leaseToken)
      agents.leaveRange(leaseToken)
    },
    onDrained: (leaseToken, ageMs) => agents.waiting.drained(leaseToken, ageMs),
    stop: (releasedInMs) => agents.stop(Math.max(0, stopBudgetMs - releasedInMs)),
  })
}

/**
 * Creates an instance of the supervisor, which finds steps past their deadline and writes their recovery.
 *
 * @throws TypeError that lists every problem of the settings
 */
export function createSupervisor(
  options: UnitOptions & SupervisorSettings & Pick<AskAgentsOptions, 'agentsLeases'>,
): Unit {
  const { hints, inProcessPath } = options
  const common = resolved(options)
  const isHere = hints !== undefined && inProcessPath !== undefined
  const supervisor = new Supervisor({
    ...common,
    ...supervisorTimes(options),
    ...(isHere ? beginningHere(inProcessPath, hints) : {}),
    cancel: cancelRun(common),
    tellJobs: tellJobs(common),
    askAgents: askAgents({
      ...common,
      agentsLeases: options.agentsLeases,
      leaseExpirationMs: failoverMs(options.timing),
    }),
  })
  const role: Role = {
    onChanges: (changes, { leaseToken }) => supervisor.onChanges(changes, leaseToken),
    onLeaseAcquired: (leaseToken, feedRange) => supervisor.onLeaseAcquired(leaseToken, feedRange),
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

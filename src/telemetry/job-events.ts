import { counted, errorMessage } from '../platform/internal.js'
import type { EventRows, Level } from './event-row.js'
import { events, failures } from './metric.js'

interface OnJob {
  readonly jobId: string
  readonly workflow: string
}

interface OnStep extends OnJob {
  readonly stepId: string
  readonly attempt: number
}

/** The facts about a flagged job that an operator must know. */
interface Problem {
  /** The step with the problem, or null if the whole job has the problem. */
  readonly stepId: string | null
  readonly kind: string
  readonly message: string
}

type Failed = Readonly<{ count: number; error: unknown }>

/** Events of jobs, their steps, notices and alerts. */
export type JobEvent =
  | ({ readonly type: 'job.submitted'; readonly isNew: boolean } & OnJob)
  | ({ readonly type: 'step.dispatched' } & OnStep)
  | ({ readonly type: 'step.started' } & OnStep)
  /** `completeByMs` is the new deadline, in milliseconds since the epoch. */
  | ({ readonly type: 'step.extended'; readonly completeByMs: number } & OnStep)
  | ({
      readonly type: 'agent.logged'
      readonly level: Level
      readonly message: string
      readonly fields: Readonly<Record<string, unknown>>
      readonly orderId: string
      readonly instanceName: string
    } & OnStep)
  | ({
      readonly type: 'step.settled'
      readonly outcome: 'success' | 'failed' | 'permanent'
      readonly error?: unknown
    } & OnStep)
  | ({ readonly type: 'step.returned'; readonly isOffered: boolean } & OnStep)
  | ({ readonly type: 'outcome.discarded'; readonly reason: string; readonly error?: unknown } & OnStep)
  | ({ readonly type: 'step.recovered'; readonly failureCount: number } & OnStep)
  | ({ readonly type: 'step.unclaimed' } & OnStep)
  | {
      readonly type: 'deadline.doubted'
      readonly operation: string
      /** The workflow in which an instance noticed the problem. `stepId` is the step. */
      readonly workflow: string
      readonly stepId: string
      readonly completeWithinMs: number
      /** The reason why attempts have too little time, with advice. */
      readonly advice: string
      readonly instanceName: string
    }
  | ({ readonly type: 'attention.raised' } & Problem & OnJob)
  | ({ readonly type: 'job.recovered'; readonly wasHeld: boolean } & OnJob)
  | ({
      readonly type: 'job.operated'
      readonly command:
        'resubmit' | 'release' | 'cancel' | 'pause' | 'resume' | 'resend' | 'restart' | 'migrate' | 'triage'
      readonly by: string
      readonly why: string
    } & OnJob)
  | ({ readonly type: 'question.answered'; readonly stepId: string; readonly by: string } & OnJob)
  | ({ readonly type: 'job.finished'; readonly state: string } & OnJob)
  /** A supervisor passed over `count` ticks in a row, which were due from `from` to `to` (ISO-8601). */
  | {
      readonly type: 'ticks.passed'
      readonly scheduleId: string
      readonly workflow: string
      readonly reason: 'late' | 'overlap' | 'paused' | 'refused'
      readonly count: number
      readonly from: string
      readonly to: string
      /** The reason why the store refuses the job. Empty for other reasons. */
      readonly message: string
    }
  | ({ readonly type: 'notice.sent'; readonly kind: string; readonly seq: number } & OnJob)
  | ({
      readonly type: 'notice.failed'
      readonly seq: number
      readonly failureCount: number
      readonly isGivenUp: boolean
      readonly error: unknown
    } & OnJob)
  | ({ readonly type: 'alert.raised'; readonly alertId: string } & Problem & OnJob)
  /** A call of a sink failed. `count` is the number of jobs in the call. */
  | ({ readonly type: 'alert.failed'; readonly alertId: string } & Failed & OnJob)
  | { readonly type: 'document.refused'; readonly id: string; readonly reason: string }

export const jobEvents = {
  'job.submitted': {
    level: 'info',
    metrics: [events],
    text: ({ isNew, ...on }) => `The client submitted ${job(on)}${isNew ? '' : ' again; it already existed'}`,
    meaning: 'the job is durable; `isNew` is false if the same submission was repeated',
  },
  'step.dispatched': {
    level: 'debug',
    metrics: [events],
    text: (on) => `The scheduler dispatched ${attempt(on)}`,
    meaning: 'the scheduler dispatched an attempt',
  },
  'step.started': {
    level: 'debug',
    metrics: [events],
    text: (on) => `An agent started ${attempt(on)}`,
    meaning: 'an agent called the handler',
  },
  'step.extended': {
    level: 'debug',
    metrics: [events],
    text: ({ completeByMs, ...on }) =>
      `The handler extended the deadline of ${attempt(on)} to ${new Date(completeByMs).toISOString()}`,
    meaning: "the step's handler asked for more time (`context.extend`)",
  },
  'agent.logged': {
    level: ({ level }) => level,
    metrics: [events],
    text: ({ message }) => message,
    meaning: "the step's handler called `context.log`, which chooses the level and the message",
  },
  'step.settled': {
    // Successes are most of all events, and the line of the ended job suffices for them.
    level: ({ outcome }) => (outcome === 'success' ? 'debug' : 'warn'),
    metrics: [
      {
        name: 'stepward.steps',
        kind: 'counter',
        unit: '{step}',
        attributes: {
          'stepward.workflow': ({ workflow }) => workflow,
          'stepward.outcome': ({ outcome }) => outcome,
        },
      },
    ],
    text: ({ outcome, error, ...on }) => {
      const what = `The agent recorded that ${attempt(on)}`
      if (outcome === 'success') return `${what} succeeded`
      return `${what} failed${outcome === 'permanent' ? ' permanently' : ''}: ${errorMessage(error)}`
    },
    meaning:
      'the handler returned, threw, or failed permanently; `outcome` is success (level debug), or failed or permanent (level warn)',
  },
  'step.returned': {
    level: 'info',
    metrics: [events],
    text: ({ isOffered, ...on }) =>
      `The agent gave back ${attempt(on)}, because this host stops or lost the lease${isOffered ? '' : '; another process may be making it'}`,
    meaning:
      'the host stopped before the attempt ended, or lost the lease of a round of a large list that waited for a slot; the step is offered again without a failure, at once if `isOffered`',
  },
  'outcome.discarded': {
    level: 'warn',
    metrics: [failures],
    text: ({ reason, error, ...on }) => {
      const cause = error === undefined ? '' : ` (${errorMessage(error)})`
      return `The agent discarded the outcome of ${attempt(on)}: ${reason}${cause}`
    },
    meaning:
      'the outcome came too late, or another attempt replaced this attempt; the agent did not record it',
  },
  'step.recovered': {
    level: 'warn',
    metrics: [events],
    text: ({ failureCount: failures, ...on }) =>
      `The supervisor recovered ${attempt(on)}, which failed or had no outcome in time` +
      (failures === 0 ? '' : `; ${counted(failures, 'failure')} so far`),
    meaning:
      'the attempt failed and its pause is over, or it had no outcome in time: another attempt follows, or no attempts are left',
  },
  'step.unclaimed': {
    level: 'warn',
    metrics: [events],
    text: (on) => `No instance made ${attempt(on)} in time; the supervisor offers it again`,
    meaning:
      'no attempt was made in time, because no scheduler or agent took the step or because clocks disagree; ' +
      'the supervisor offers the step again',
  },
  'deadline.doubted': {
    level: 'warn',
    metrics: [events],
    text: ({ operation, completeWithinMs, advice }) =>
      `The deadline of ${operation} (${completeWithinMs} ms) is too short: ${advice}`,
    meaning:
      'too many attempts of an operation exceed its deadline; an instance reports this once per operation',
  },
  'attention.raised': {
    level: 'error',
    metrics: [events],
    text: ({ message, ...on }) => `An operator must look at ${flagged(on)}: ${message}`,
    meaning: 'an operator must look at the job; the problem is also stored on the job',
  },
  'job.recovered': {
    level: 'warn',
    metrics: [events],
    text: ({ wasHeld, ...on }) =>
      wasHeld
        ? `The supervisor took ${job(on)} from its scheduler, which made no progress; any ` +
          'scheduler may now continue it'
        : `No scheduler continued ${job(on)} in time; the supervisor offers it again`,
    meaning: 'the job made no progress; any scheduler may now continue it',
  },
  'question.answered': {
    level: 'info',
    metrics: [events],
    text: ({ stepId, by, ...on }) => `${by} answered the question of step ${stepId} of ${job(on)}`,
    meaning: 'a person answered the question of a step; the answer is durable',
  },
  'job.operated': {
    level: 'info',
    metrics: [events],
    text: ({ command, by, why, ...on }) => `${by} gave the command ${command} for ${job(on)}: ${why}`,
    meaning: 'an operator gave a command about the job',
  },
  'job.finished': {
    level: 'info',
    metrics: [
      {
        name: 'stepward.jobs',
        kind: 'counter',
        unit: '{job}',
        attributes: {
          'stepward.workflow': ({ workflow }) => workflow,
          'stepward.state': ({ state }) => state,
        },
      },
    ],
    text: ({ state, ...on }) => `The scheduler ended ${job(on)} in state ${state}`,
    meaning: 'the job ended; `state` is Processed, Error or Compensated',
  },
  'ticks.passed': {
    level: 'warn',
    metrics: [events],
    text: ({ scheduleId, reason, count, from, to, message }) =>
      `The supervisor passed over ${counted(count, 'tick')} of schedule ${scheduleId}, ${from} to ${to} ` +
      `(${reason})${message === '' ? '' : `: ${message}`}`,
    meaning:
      'no job was submitted for these ticks: they were `late`, came before the previous run had ended ' +
      '(`overlap`) or while the schedule was `paused`, or their job was `refused`',
  },
  'notice.sent': {
    level: 'debug',
    metrics: [events],
    text: ({ kind, seq, ...on }) => `The notifier sent notice ${seq} (${kind}) of ${job(on)}`,
    meaning: 'the submitter received a notice',
  },
  'notice.failed': {
    level: 'warn',
    metrics: [failures],
    text: ({ seq, failureCount, isGivenUp, error, ...on }) => {
      const failed = counted(failureCount, 'failure')
      return isGivenUp
        ? `The notifier gave up on notice ${seq} of ${job(on)} after ${failed}; ` +
            `repair the receiver, then run "stepward resend": ${errorMessage(error)}`
        : `The notifier will send notice ${seq} of ${job(on)} again after ${failed}: ${errorMessage(error)}`
    },
    meaning: 'the notifier did not reach the submitter; it sends the notice again unless `isGivenUp`',
  },
  'alert.raised': {
    level: 'error',
    metrics: [events],
    text: ({ message, ...on }) => `The notifier alerted operators to ${flagged(on)}: ${message}`,
    meaning: 'the notifier alerted operators to a flagged job; it repeats this after `remindAfter`',
  },
  'alert.failed': {
    level: 'error',
    metrics: [failures],
    text: ({ count, error, ...on }) => {
      const others = count === 1 ? '' : ` and ${counted(count - 1, 'other job')}`
      return `The notifier could not alert operators to ${job(on)}${others} and tries again: ${errorMessage(error)}`
    },
    meaning: 'a sink did not take this alert and others, `count` in all; the notifier sends them again',
  },
  'document.refused': {
    level: 'warn',
    metrics: [events],
    text: ({ id, reason }) => `Stepward does not work on document ${id}: ${reason}`,
    meaning:
      'Stepward does not work on a document: it cannot be read, a newer version wrote it, this instance lacks ' +
      'its agent, or its job has ended or is incomplete',
  },
} as const satisfies EventRows<JobEvent>

function job({ jobId, workflow }: OnJob): string {
  return `job ${jobId} of ${workflow}`
}

function attempt({ attempt: number, stepId, ...on }: OnStep): string {
  return `attempt ${number} of step ${stepId} of ${job(on)}`
}

function flagged({ stepId, kind, ...on }: Omit<Problem, 'message'> & OnJob): string {
  return `${job(on)} (${stepId === null ? '' : `step ${stepId}, `}${kind})`
}

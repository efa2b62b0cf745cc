import {
  defineWorkflow,
  type JobLimit,
  type PauseTarget,
  type ProcessState,
  type Reference,
  type Step,
  type StepOptions,
  type Workflow,
} from '../../src/sas/index.js'
import type { Attention } from '../../src/sas/model/documents.js'
import { services, type Asked, type Moods, type Services } from './remote-services.js'

export interface ScenarioInput {
  readonly jobId: string
  /** The items of a step that is repeated for each item. */
  readonly items: readonly Asked[]
}

/** A command of an operator and its time. `then` means right after the previous command. */
export interface Intervention {
  readonly when:
    | { readonly state: ProcessState }
    | { readonly isDone: string }
    /** The step, or the question of the step, has begun. */
    | { readonly isBegun: string }
    | { readonly isFlagged: Attention['kind'] }
    /** The job has such a flag, and no snooze hides it or no other step is under way. */
    | { readonly isAwake: Attention['kind'] }
    /** The job is paused, and no attempt of it is under way. */
    | 'isAtRest'
    /** The same, or the job has ended. */
    | 'isAtRestOrOver'
    | 'then'
  readonly command:
    | 'cancel'
    | 'resubmit'
    | 'release'
    | 'pause'
    | 'resume'
    /** Hides the present flag of the job for this time. */
    | { readonly snooze: string }
    | { readonly pauseAll: PauseTarget }
    | { readonly resumeAll: PauseTarget }
    /** Raises the event of this step, with this key if the step collects events. */
    | { readonly raiseEventFor: string; readonly key?: string }
    /** Answers the question of this step with yes. */
    | { readonly answerTo: string }
    /** Resubmits with another input for this step. */
    | { readonly edit: string }
    /** Restarts the job from this step. The commands that follow are about the new job. */
    | { readonly restartFrom: string; readonly after: 'undo' | 'keep' }
    /** Replaces the plan of the job. */
    | { readonly migrateTo: Workflow<ScenarioInput> }
}

/** One kind of story of a job, with its possible ends. */
export interface Scenario {
  readonly name: string
  readonly workflow: Workflow<ScenarioInput>
  readonly moods: Moods
  /**
   * Commands in order, each given once. A command that is due skips those before it, which may never become
   * due.
   */
  readonly interventions?: readonly Intervention[]
  /** The job's own deadline. Default: none. */
  readonly completeWithin?: string
  /** How long a service takes for a request. Default 0. */
  readonly workMs?: number
  /** How often the service shows progress meanwhile; its agent then asks for more time. Default: never. */
  readonly progressEveryMs?: number
  /**
   * Whether every host has all roles, which pass steps and outcomes to each other. Default: one host for each
   * role.
   */
  readonly isTogether?: boolean
  /** Whether the submitter is in the process of the only host, which then begins the job without the feed. */
  readonly isInside?: boolean
  /** Whether the submitter wants notices and a host with the notifier runs. */
  readonly isNotified?: boolean
  /** The end without faults, of the last restart if the job is restarted. */
  readonly end: ProcessState
  /** Further ends that faults may cause, because attempts that are lost to faults count. Default: none. */
  readonly otherEnds?: readonly ProcessState[]
  /**
   * Whether faults may cause any end, because answers of services depend on earlier calls. Default: false.
   */
  readonly isEndOpen?: boolean
}

/** Longer than a takeover. Otherwise attempts would run out while no instance is there to make them. */
export const stepDeadlineMs = 40_000

export const backoff = { min: '1s', max: '2s' }

export const timing: StepOptions = {
  completeWithin: stepDeadlineMs,
  retry: { tries: 3, backoff },
}

/** Steps by id, each with the steps that must be done before it. */
export type Shape = Readonly<Record<string, readonly string[]>>

export const chain: Shape = { reserve: [], charge: ['reserve'], ship: ['charge'] }
export const fan: Shape = {
  plan: [],
  hotel: ['plan'],
  flight: ['plan'],
  car: ['plan'],
  confirm: ['hotel', 'flight', 'car'],
}

interface Making {
  /** Options of single steps, by id. */
  readonly of?: Readonly<Record<string, StepOptions>>
  /** The agent of the steps. Default: the one without options. */
  readonly by?: Services
  /** Whether the steps have no undo. Default: false. */
  readonly isBare?: boolean
  /** The name of the workflow. Default `scenario`. */
  readonly name?: string
  /** The limits of the jobs. Default: none. */
  readonly limits?: readonly JobLimit[]
  /** The partition of all jobs. Default: each has its own. */
  readonly partitionKey?: string
}

/** Returns a workflow in which each step calls the service of its own name. */
export function workflowOf(
  shape: Shape,
  options: StepOptions = {},
  { of = {}, by = services, isBare = false, name = 'scenario', limits, partitionKey }: Making = {},
): Workflow<ScenarioInput> {
  return defineWorkflow<ScenarioInput>(
    name,
    (job) => {
      if (limits !== undefined) job.limits(limits)
      const built = new Map<string, Step<{ item: string; key: string }>>()
      for (const [id, dependencies] of Object.entries(shape)) {
        const step = job.step(
          id,
          by.provide,
          { item: id },
          {
            ...timing,
            ...options,
            ...of[id],
            after: dependencies.flatMap((dependency) => built.get(dependency) ?? []),
            undo: isBare ? 'none' : (out) => by.takeBack({ item: out.item }),
          },
        )
        built.set(id, step)
      }
      const { onExhausted = 'error' } = options
      job.onExhausted(onExhausted === 'continue' ? 'error' : onExhausted, { maxGenerations: 2 })
    },
    partitionKey === undefined ? {} : { partitionKey: () => partitionKey },
  )
}

export const takenBack = (out: Reference<Asked>) => services.takeBack({ item: out.item })

export const willing: Moods = () => 'willing'

/**
 * Returns moods in which the service of this step refuses its first `until` requests for good. Default: all
 * of them.
 */
export const unableAt =
  (stepId: string, until = Infinity): Moods =>
  (call) =>
    call.stepId === stepId && !call.isUndo && call.count <= until ? 'unable' : 'willing'

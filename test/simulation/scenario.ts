import {
  defineWorkflow,
  type ProcessState,
  type Reference,
  type Step,
  type StepOptions,
  type Workflow,
} from '../../src/sas/index.js'
import type { Attention } from '../../src/sas/documents.js'
import { services, type Asked, type Moods, type Services } from './remote-services.js'

/** What every job of a scenario is given. */
export interface ScenarioInput {
  readonly jobId: string
  /** For a step that is one for each of them. */
  readonly items: readonly Asked[]
}

/** What an operator does, and when; `then` is right after the command before it. */
export interface Intervention {
  readonly when:
    | { readonly state: ProcessState }
    | { readonly isDone: string }
    | { readonly isFlagged: Attention['kind'] }
    | 'then'
  readonly command:
    | 'cancel'
    | 'resubmit'
    | 'release'
    | { readonly raiseEventFor: string }
    /** Resubmits with another input for this step. */
    | { readonly edit: string }
}

/** One kind of story of a job, with the ends that it may come to. */
export interface Scenario {
  readonly name: string
  readonly workflow: Workflow<ScenarioInput>
  readonly moods: Moods
  /** Done in this order, each once. One that is due passes over those before it, whose time may never come. */
  readonly interventions?: readonly Intervention[]
  /** By when the job itself must be done. Default: it has no deadline. */
  readonly completeWithin?: string
  /** How long a service takes for a request. Default 0. */
  readonly workMs?: number
  /** How often it shows progress meanwhile, whereupon its agent asks for more time. Default never. */
  readonly progressEveryMs?: number
  /** Whether every host has all roles, which then hand steps and outcomes to each other. Default: one host for each role. */
  readonly isTogether?: boolean
  /** Whether its submitter is in the process of the only host, which then begins the job without the feed. */
  readonly isInside?: boolean
  /** Whether its submitter wants to be told, and a host runs that does it. */
  readonly isNotified?: boolean
  /** The end without faults. */
  readonly end: ProcessState
  /** Ends that faults may lead to as well: attempts lost to them are attempts. Default: none. */
  readonly otherEnds?: readonly ProcessState[]
  /** Whether faults may lead to any end: what services answer depends on the calls before. Default false. */
  readonly isEndOpen?: boolean
}

/** Longer than a takeover, as it must be: else attempts run out while nobody is there to make them. */
export const stepDeadlineMs = 40_000

export const timing: StepOptions = {
  completeWithin: stepDeadlineMs,
  maxFailures: 3,
  retryBackoff: { min: '1s', max: '2s' },
}

/** Steps by id, each with what must be done before it. */
export type Shape = Readonly<Record<string, readonly string[]>>

export const chain: Shape = { reserve: [], charge: ['reserve'], ship: ['charge'] }
export const fan: Shape = {
  plan: [],
  hotel: ['plan'],
  flight: ['plan'],
  car: ['plan'],
  confirm: ['hotel', 'flight', 'car'],
}

/** What the steps of a shape are like, beside what all of them have. */
interface Making {
  /** Of one step, by its id. */
  readonly of?: Readonly<Record<string, StepOptions>>
  /** Which agent does them. Default: the one that has no options. */
  readonly by?: Services
  /** Whether there is nothing that undoes them. Default false. */
  readonly isBare?: boolean
}

/** A workflow whose steps each ask a service for what they are called after. */
export function workflowOf(
  shape: Shape,
  options: StepOptions = {},
  { of = {}, by = services, isBare = false }: Making = {},
): Workflow<ScenarioInput> {
  return defineWorkflow<ScenarioInput>('scenario', (job) => {
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
    job.onExhausted(options.onExhausted ?? 'error', { maxGenerations: 2 })
  })
}

export const takenBack = (out: Reference<Asked>) => services.takeBack({ item: out.item })

export const willing: Moods = () => 'willing'

/** The service of this step refuses the first of its requests for good. */
export const unableAt =
  (stepId: string, until = Infinity): Moods =>
  (call) =>
    call.stepId === stepId && !call.isUndo && call.count <= until ? 'unable' : 'willing'

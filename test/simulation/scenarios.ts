import {
  defineWorkflow,
  type ProcessState,
  type Reference,
  type Step,
  type StepOptions,
  type Workflow,
} from '../../src/sas/index.js'
import { services, type Asked, type Moods } from './remote-services.js'

/** What every job of a scenario is given. */
export interface ScenarioInput {
  readonly jobId: string
  /** For a step that is one for each of them. */
  readonly items: readonly Asked[]
}

/** What somebody outside does, and when: looked at every second, done once. */
export interface Intervention {
  readonly when: { readonly state: ProcessState } | { readonly isDone: string }
  readonly command: 'cancel' | 'resubmit' | { readonly raiseEventFor: string }
}

/** One kind of story of a job, with the ends that it may come to. */
export interface Scenario {
  readonly name: string
  readonly workflow: Workflow<ScenarioInput>
  readonly moods: Moods
  readonly intervention?: Intervention
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
}

/** Longer than a takeover, as it must be: else attempts run out while nobody is there to make them. */
export const stepDeadlineMs = 40_000

const timing: StepOptions = {
  completeWithin: stepDeadlineMs,
  maxFailures: 3,
  retryBackoff: { min: '1s', max: '2s' },
}

/** Steps by id, each with what must be done before it. */
type Shape = Readonly<Record<string, readonly string[]>>

const chain: Shape = { reserve: [], charge: ['reserve'], ship: ['charge'] }
const fan: Shape = {
  plan: [],
  hotel: ['plan'],
  flight: ['plan'],
  car: ['plan'],
  confirm: ['hotel', 'flight', 'car'],
}

function workflowOf(shape: Shape, options: StepOptions = {}): Workflow<ScenarioInput> {
  return defineWorkflow<ScenarioInput>('scenario', (job) => {
    const built = new Map<string, Step<{ item: string; key: string }>>()
    for (const [id, dependencies] of Object.entries(shape)) {
      const step = job.step(
        id,
        services.provide,
        { item: id },
        {
          ...timing,
          ...options,
          after: dependencies.flatMap((dependency) => built.get(dependency) ?? []),
          undo: (out) => services.takeBack({ item: out.item }),
        },
      )
      built.set(id, step)
    }
    job.onExhausted(options.onExhausted ?? 'error', { maxGenerations: 2 })
  })
}

/** A step, an event, and a step that depends on both. */
const approved = defineWorkflow<ScenarioInput>('scenario', (job) => {
  const reserved = job.step('reserve', services.provide, { item: 'reserve' }, { ...timing, undo: 'none' })
  const approval = job.waitFor<Asked>('approve', { after: [reserved] })
  job.step('ship', services.provide, { item: approval.output.item }, { ...timing, undo: 'none' })
})

const takenBack = (out: Reference<Asked>) => services.takeBack({ item: out.item })

const payment = defineWorkflow<Asked, Asked>('payment', (job) => {
  const held = job.step('hold', services.provide, { item: job.input.item }, { ...timing, undo: takenBack })
  return job.step('take', services.provide, { item: held.output.item }, { ...timing, undo: takenBack }).output
})

/** A step for each of two items, where there might be three; another workflow; and a step that nobody can do. */
const nested = defineWorkflow<ScenarioInput>('scenario', (job) => {
  const booked = job.forEach('book', job.input.items, (item) => services.provide({ item: item.item }), {
    ...timing,
    atMost: 3,
    undo: takenBack,
  })
  const paid = job.run('pay', payment, { item: 'pay' }, { after: [booked] })
  job.step('ship', services.provide, { item: paid.output.item }, { ...timing, undo: takenBack })
  job.onExhausted('compensate')
})

const willing: Moods = () => 'willing'
const unableAt =
  (stepId: string, until = Infinity): Moods =>
  (call) =>
    call.stepId === stepId && !call.isUndo && call.count <= until ? 'unable' : 'willing'

export const scenarios: readonly Scenario[] = [
  { name: 'happy', workflow: workflowOf(chain), moods: willing, end: 'Processed' },
  {
    name: 'retry',
    // One attempt more than this and two faults can cost.
    workflow: workflowOf(chain, { maxFailures: 4 }),
    moods: ({ stepId, count }) => (stepId === 'charge' && count === 1 ? 'busy' : 'willing'),
    end: 'Processed',
  },
  {
    name: 'exhaust',
    workflow: workflowOf(chain),
    moods: ({ stepId }) => (stepId === 'charge' ? 'busy' : 'willing'),
    end: 'Error',
  },
  {
    name: 'compensate',
    workflow: workflowOf(chain, { onExhausted: 'compensate' }),
    moods: unableAt('ship'),
    end: 'Compensated',
  },
  {
    name: 'compensate-together',
    workflow: workflowOf(chain, { onExhausted: 'compensate' }),
    moods: unableAt('ship'),
    isTogether: true,
    end: 'Compensated',
  },
  {
    name: 'compensate-uncertain',
    workflow: workflowOf(chain, { onExhausted: 'compensate' }),
    moods: ({ stepId, isUndo, count }) => {
      if (stepId !== 'ship' || isUndo) return 'willing'
      return count === 1 ? 'unheard' : 'busy'
    },
    end: 'Compensated',
  },
  {
    name: 'compensateThenRetry',
    workflow: workflowOf(chain, { onExhausted: 'compensateThenRetry' }),
    moods: unableAt('ship', 1),
    end: 'Processed',
  },
  {
    name: 'resubmit',
    workflow: workflowOf(chain),
    moods: unableAt('charge', 1),
    intervention: { when: { state: 'Error' }, command: 'resubmit' },
    end: 'Processed',
  },
  {
    name: 'cancel',
    workflow: workflowOf(chain),
    moods: willing,
    workMs: 3_000,
    intervention: { when: { isDone: 'reserve' }, command: 'cancel' },
    end: 'Compensated',
    // The last step may be done before the operator is heard.
    otherEnds: ['Processed'],
  },
  {
    name: 'event',
    workflow: approved,
    moods: willing,
    intervention: { when: { isDone: 'reserve' }, command: { raiseEventFor: 'approve' } },
    end: 'Processed',
  },
  {
    name: 'event-early',
    workflow: approved,
    moods: willing,
    workMs: 3_000,
    intervention: { when: { state: 'Processing' }, command: { raiseEventFor: 'approve' } },
    end: 'Processed',
  },
  {
    name: 'notified',
    workflow: workflowOf({ charge: [] }),
    moods: unableAt('charge', 1),
    intervention: { when: { state: 'Error' }, command: 'resubmit' },
    isNotified: true,
    end: 'Processed',
  },
  { name: 'nested', workflow: nested, moods: unableAt('ship'), end: 'Compensated' },
  { name: 'fan-out', workflow: workflowOf(fan), moods: willing, end: 'Processed' },
  { name: 'fan-out-together', workflow: workflowOf(fan), moods: willing, isTogether: true, end: 'Processed' },
  {
    name: 'claimed',
    workflow: workflowOf({ reserve: [], charge: ['reserve'] }, { claim: true }),
    moods: willing,
    end: 'Processed',
  },
  {
    name: 'progress',
    workflow: workflowOf({ charge: [] }),
    moods: willing,
    // Its agent has asked for time when less than half of it is left.
    workMs: 30_000,
    progressEveryMs: 25_000,
    end: 'Processed',
  },
  {
    name: 'submitted-inside',
    workflow: workflowOf(chain),
    moods: willing,
    isInside: true,
    end: 'Processed',
  },
]

/** The scenario of this name. */
export function scenarioNamed(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (found === undefined) throw new RangeError(`there is no scenario ${JSON.stringify(name)}`)
  return found
}

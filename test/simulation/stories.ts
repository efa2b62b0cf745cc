import { defineWorkflow } from '../../src/sas/index.js'
import { collectingStories } from './collect-stories.js'
import { continuingStories } from './continuing-stories.js'
import { gateStories } from './gate-stories.js'
import { migrationStories } from './migration-stories.js'
import { pauseStories } from './pause-stories.js'
import { questionStories } from './question-stories.js'
import { repeatStories } from './repeat-stories.js'
import { restartStories } from './restart-stories.js'
import { triageStories } from './triage-stories.js'
import { guardedServices, insistentServices, services, type Asked, type Moods } from './remote-services.js'
import {
  backoff,
  chain,
  fan,
  takenBack,
  timing,
  unableAt,
  willing,
  workflowOf,
  type Intervention,
  type Scenario,
  type ScenarioInput,
} from './scenario.js'

/** A scenario with a check of its own, in addition to the invariants of every job. */
export interface StoryOfJob extends Scenario {
  readonly promise: string
}

const [inError, compensated] = [{ state: 'Error' }, { state: 'Compensated' }] as const
const resubmittedOnce: Intervention = { when: inError, command: 'resubmit' }
const thenCancelled: Intervention = { when: 'then', command: 'cancel' }

/**
 * Returns moods for the service of `charge`, by the number of its requests. The other services do all work.
 */
const ofCharge =
  (mood: (call: Parameters<Moods>[0]) => ReturnType<Moods>): Moods =>
  (call) =>
    call.stepId === 'charge' && !call.isUndo ? mood(call) : 'willing'

/** A service that acts, but whose answers are lost until attempts run out. */
const unheardThrice: Moods = ofCharge(({ count }) => (count <= 3 ? 'unheard' : 'willing'))
const refusedRepetition: Moods = ofCharge(({ ofKey }) => (ofKey === 1 ? 'unheard' : 'unable'))

const undoBusy =
  (times: number): Moods =>
  ({ stepId, isUndo, count }) => {
    if (stepId === 'ship' && !isUndo) return 'unable'
    return stepId === 'charge' && isUndo && count <= times ? 'busy' : 'willing'
  }

/** A workflow with a step beside an event, and a step after both. */
const beside = (policy: 'error' | 'compensate') =>
  defineWorkflow<ScenarioInput>('scenario', (job) => {
    const options = { ...timing, undo: takenBack }
    const reserved = job.step('reserve', services.provide, { item: 'reserve' }, options)
    const approval = job.waitFor<Asked>('approve', { after: [reserved] })
    const charged = job.step(
      'charge',
      services.provide,
      { item: 'charge' },
      { ...options, after: [reserved] },
    )
    const after = { ...options, after: [charged] }
    job.step('ship', services.provide, { item: approval.output.item }, after)
    job.onExhausted(policy)
  })

const effectsOfErrors: readonly Omit<StoryOfJob, 'isEndOpen'>[] = [
  {
    name: 'resubmit-uncertain',
    promise: 'what took effect and lost its answer is repeated under its key after a resubmission',
    workflow: workflowOf(chain),
    moods: unheardThrice,
    interventions: [resubmittedOnce],
    end: 'Processed',
  },
  {
    name: 'resubmit-edited',
    promise: 'with an edited input it gets another key, and both are undone',
    workflow: workflowOf(chain, {}, { of: { ship: { onExhausted: 'compensate' } } }),
    moods: (call) => (call.stepId === 'ship' && !call.isUndo ? 'unable' : unheardThrice(call)),
    interventions: [{ when: inError, command: { edit: 'charge' } }],
    end: 'Compensated',
  },
  {
    name: 'resubmit-then-cancel',
    promise: 'what a service did and refuses to repeat is undone when the resubmitted job is cancelled',
    workflow: workflowOf(chain),
    moods: refusedRepetition,
    interventions: [resubmittedOnce, thenCancelled],
    end: 'Compensated',
  },
  {
    name: 'error-then-cancel',
    promise: 'what a service did and refuses to repeat is undone when the failed job is cancelled',
    workflow: workflowOf(chain),
    moods: refusedRepetition,
    interventions: [{ when: inError, command: 'cancel' }],
    end: 'Compensated',
  },
  {
    name: 'insistent',
    promise: 'what took effect at the first try of an attempt is undone although the second was refused',
    workflow: workflowOf(chain, { onExhausted: 'compensate' }, { by: insistentServices }),
    moods: refusedRepetition,
    end: 'Compensated',
  },
  {
    name: 'refused-then-done',
    promise: 'what a service refused first and did when it was asked again is undone',
    workflow: workflowOf(chain),
    moods: ofCharge(({ ofKey }) => (ofKey === 1 ? 'unable' : 'unheard')),
    interventions: [resubmittedOnce, resubmittedOnce, thenCancelled],
    end: 'Compensated',
  },
  {
    name: 'known',
    promise: 'a service that says that it has done it already has done it once',
    workflow: workflowOf(chain),
    moods: ofCharge(({ ofKey }) => (ofKey === 1 ? 'unheard' : 'known')),
    end: 'Processed',
  },
  {
    name: 'resubmit-twice',
    promise: 'a job that is resubmitted twice, and each time by two people, does each step once',
    workflow: workflowOf(chain),
    moods: ofCharge(({ count }) => (count === 1 ? 'unheard' : count <= 4 ? 'busy' : 'willing')),
    interventions: [resubmittedOnce, { when: 'then', command: 'resubmit' }, resubmittedOnce],
    end: 'Processed',
  },
]

const waysBack: readonly Omit<StoryOfJob, 'isEndOpen'>[] = [
  {
    name: 'undo-fails',
    promise: 'an undo that failed is made again by a resubmission, and nothing is left',
    workflow: workflowOf(chain, { onExhausted: 'compensate' }),
    moods: undoBusy(3),
    interventions: [resubmittedOnce],
    end: 'Compensated',
  },
  {
    name: 'undo-fails-then-again',
    promise: 'keys change only after the undo that failed first, and the job is done once',
    workflow: workflowOf(chain),
    moods: ({ stepId, isUndo, count }) =>
      stepId === 'reserve' && isUndo && count <= 3 ? 'unheard' : 'willing',
    workMs: 3_000,
    interventions: [
      { when: { isDone: 'reserve' }, command: 'cancel' },
      resubmittedOnce,
      { when: compensated, command: 'resubmit' },
    ],
    end: 'Processed',
  },
  {
    name: 'cancel-then-resubmit',
    promise: 'each step of a cancelled job that is resubmitted has its effect once',
    workflow: workflowOf(chain),
    moods: willing,
    workMs: 3_000,
    interventions: [
      { when: { isDone: 'reserve' }, command: 'cancel' },
      { when: compensated, command: 'resubmit' },
    ],
    end: 'Processed',
  },
  {
    name: 'bare-parallel',
    promise: 'parallel steps without undo have their effects once, also when the job is cancelled between',
    workflow: workflowOf(fan, {}, { isBare: true }),
    moods: ({ stepId, count }) => (stepId === 'flight' && count === 1 ? 'unheard' : 'willing'),
    workMs: 3_000,
    interventions: [
      { when: { isDone: 'hotel' }, command: 'cancel' },
      { when: compensated, command: 'resubmit' },
    ],
    end: 'Processed',
  },
  {
    name: 'uncertain-left',
    promise: 'without undoUncertain what is known to be done is undone, and doubts are left alone',
    workflow: workflowOf(chain, { onExhausted: 'compensate', undoUncertain: false }),
    moods: ({ stepId, isUndo }) => (stepId === 'ship' && !isUndo ? 'unheard' : 'willing'),
    end: 'Compensated',
  },
]

const setAside: readonly Omit<StoryOfJob, 'isEndOpen'>[] = [
  {
    name: 'park-release',
    promise: 'what took effect before a step was parked is undone although it was refused after its release',
    workflow: workflowOf(chain, {}, { of: { charge: { onExhausted: 'park' } } }),
    moods: ofCharge(({ count }) => (count <= 3 ? 'unheard' : 'unable')),
    interventions: [
      { when: { isFlagged: 'parked' }, command: 'release' },
      { when: { isFlagged: 'parked' }, command: 'cancel' },
    ],
    end: 'Compensated',
  },
  {
    name: 'release-then-cancel',
    promise: 'a cancel right after a release undoes what the parked step may have done',
    workflow: workflowOf(chain, {}, { of: { charge: { onExhausted: 'park' } } }),
    moods: refusedRepetition,
    interventions: [
      { when: { isFlagged: 'parked' }, command: 'release' },
      thenCancelled,
      { when: { isFlagged: 'parked' }, command: 'cancel' },
    ],
    end: 'Compensated',
  },
  {
    name: 'extended-wait',
    promise: 'a cancel during an extended wait undoes what the step may have done',
    workflow: workflowOf(chain, {}, { of: { charge: { onExhausted: { extendedWait: '20s' } } } }),
    moods: unheardThrice,
    interventions: [{ when: { isFlagged: 'extendedWait' }, command: 'cancel' }],
    end: 'Compensated',
  },
  {
    name: 'after-extended-wait',
    promise: 'what took effect before an extended wait is undone although it was refused after it',
    workflow: workflowOf(chain, {}, { of: { charge: { onExhausted: { extendedWait: '20s' } } } }),
    moods: ofCharge(({ count }) => (count <= 3 ? 'unheard' : 'unable')),
    interventions: [{ when: inError, command: 'cancel' }],
    end: 'Compensated',
  },
  {
    name: 'circuit',
    promise: 'attempts that an open circuit breaker refuses have no effect, and the job is done',
    workflow: workflowOf(chain, { retry: { tries: 12, backoff } }, { by: guardedServices }),
    moods: ofCharge(({ count }) => (count === 1 ? 'unheard' : count <= 3 ? 'busy' : 'willing')),
    end: 'Processed',
  },
]

const deadlines: readonly Omit<StoryOfJob, 'isEndOpen'>[] = [
  {
    name: 'job-deadline',
    promise: 'a job that ran out of its own time goes on after a resubmission, each step once',
    workflow: workflowOf(chain),
    moods: willing,
    workMs: 20_000,
    completeWithin: '45s',
    interventions: [resubmittedOnce],
    end: 'Processed',
  },
  {
    name: 'job-deadline-cancel',
    promise: 'what was under way when the time of the job was over is undone when it is cancelled',
    workflow: workflowOf(chain),
    moods: ({ stepId, isUndo, ofKey }) => {
      if (isUndo || stepId !== 'charge') return 'willing'
      return ofKey === 1 ? 'unheard' : 'busy'
    },
    workMs: 9_000,
    completeWithin: '26s',
    interventions: [{ when: inError, command: 'cancel' }],
    end: 'Compensated',
  },
  {
    name: 'wait-beside-failure',
    promise: 'a step that fails beside a waiting one is tried again, and the event is still heard',
    workflow: beside('error'),
    moods: unheardThrice,
    interventions: [resubmittedOnce, { when: { isDone: 'charge' }, command: { raiseEventFor: 'approve' } }],
    end: 'Processed',
  },
  {
    name: 'wait-beside-compensation',
    promise: 'a job that fails beside a waiting step is undone without its event',
    workflow: beside('compensate'),
    moods: unableAt('charge'),
    end: 'Compensated',
  },
]

/** Stories of operators and of services that remember, which meet faults by chance. */
export const stories: readonly StoryOfJob[] = [
  ...effectsOfErrors,
  ...waysBack,
  ...setAside,
  ...deadlines,
  ...continuingStories,
  ...questionStories,
  ...collectingStories,
  ...repeatStories,
  ...restartStories,
  ...migrationStories,
  ...gateStories,
  ...pauseStories,
  ...triageStories,
].map((story) => ({ ...story, isEndOpen: true }))

import { condition, defineWorkflow, type PauseTarget } from '../../src/sas/index.js'
import { services } from './remote-services.js'
import {
  backoff,
  chain,
  takenBack,
  timing,
  unableAt,
  willing,
  workflowOf,
  type Intervention,
  type Scenario,
  type ScenarioInput,
} from './scenario.js'

const options = { ...timing, undo: takenBack }

/** A step, then a sleep, an event that never comes, and another step, and at last a step after all of them. */
const waiting = defineWorkflow<ScenarioInput>('scenario', (job) => {
  const reserved = job.step('reserve', services.provide, { item: 'reserve' }, options)
  const slept = job.sleep('nap', '40s', { after: [reserved] })
  const approved = job.waitFor('approve', {
    after: [reserved],
    completeWithin: '90s',
    onExhausted: 'continue',
  })
  const charged = job.step('charge', services.provide, { item: 'charge' }, { ...options, after: [reserved] })
  const late = { ...options, after: [slept, charged], when: condition.timedOut(approved) }
  job.step('ship', services.provide, { item: 'ship' }, late)
})

const pausedAt = (stepId: string): readonly Intervention[] => [
  { when: { isBegun: stepId }, command: 'pause' },
  { when: 'isAtRest', command: 'resume' },
]

/** Pauses the workflow or the agent of a job, and resumes it when the job is at rest. */
const allPausedAt = (stepId: string, target: PauseTarget): readonly Intervention[] => [
  { when: { isBegun: stepId }, command: { pauseAll: target } },
  { when: 'isAtRestOrOver', command: { resumeAll: target } },
]

const agent = { agent: 'services' }

/** Stories of pauses, in which every write meets every fault. */
export const pauses: readonly Scenario[] = [
  {
    name: 'paused',
    // One attempt more than two faults can use up.
    workflow: workflowOf(chain, { retry: { tries: 4, backoff } }),
    moods: willing,
    workMs: 3_000,
    interventions: pausedAt('reserve'),
    end: 'Processed',
  },
  {
    name: 'paused-waits',
    workflow: waiting,
    moods: willing,
    interventions: pausedAt('nap'),
    end: 'Processed',
  },
  {
    name: 'workflow-paused',
    workflow: workflowOf(chain, { retry: { tries: 4, backoff } }),
    moods: willing,
    workMs: 3_000,
    interventions: allPausedAt('reserve', { workflow: 'scenario' }),
    end: 'Processed',
  },
  {
    name: 'workflow-paused-waits',
    workflow: waiting,
    moods: willing,
    interventions: allPausedAt('nap', { workflow: 'scenario' }),
    end: 'Processed',
  },
  {
    name: 'agent-paused',
    workflow: workflowOf(chain, { retry: { tries: 4, backoff } }),
    moods: willing,
    workMs: 3_000,
    isTogether: true,
    interventions: allPausedAt('reserve', agent),
    end: 'Processed',
  },
]

/** Stories of pauses that meet random faults. */
export const pauseStories: readonly (Omit<Scenario, 'isEndOpen'> & { readonly promise: string })[] = [
  {
    name: 'paused-together',
    promise: 'a job whose roles share a process obeys a pause, and goes on when it is resumed',
    workflow: workflowOf(chain, { retry: { tries: 4, backoff } }),
    moods: willing,
    workMs: 3_000,
    isTogether: true,
    interventions: pausedAt('reserve'),
    end: 'Processed',
  },
  {
    name: 'workflow-paused-by-many',
    promise: 'jobs of a workflow that is paused and resumed again and again are left in no pause',
    workflow: workflowOf(chain, { retry: { tries: 4, backoff } }, { name: 'paused-workflow' }),
    moods: willing,
    workMs: 3_000,
    isTogether: true,
    interventions: allPausedAt('reserve', { workflow: 'paused-workflow' }),
    end: 'Processed',
  },
  {
    name: 'agent-paused-undo',
    promise: 'no undo of a paused agent begins, and everything is undone when the agent is resumed',
    workflow: workflowOf(chain, { onExhausted: 'compensate' }),
    moods: unableAt('ship'),
    workMs: 3_000,
    interventions: [
      { when: { state: 'Compensating' }, command: { pauseAll: agent } },
      { when: 'isAtRestOrOver', command: { resumeAll: agent } },
    ],
    end: 'Compensated',
  },
  {
    name: 'paused-cancelled',
    promise: 'a paused job that is cancelled is undone when it is resumed, and not before',
    workflow: workflowOf(chain),
    moods: willing,
    workMs: 3_000,
    interventions: [
      { when: { isDone: 'reserve' }, command: 'pause' },
      { when: 'then', command: 'cancel' },
      { when: 'isAtRest', command: 'resume' },
    ],
    end: 'Compensated',
  },
  {
    name: 'paused-undo',
    promise: 'a job that is paused while it is undone begins no undo, and is undone when it is resumed',
    workflow: workflowOf(chain, { onExhausted: 'compensate' }),
    moods: unableAt('ship'),
    workMs: 3_000,
    interventions: [
      { when: { state: 'Compensating' }, command: 'pause' },
      { when: 'isAtRest', command: 'resume' },
    ],
    end: 'Compensated',
  },
]

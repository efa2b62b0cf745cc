import { defineWorkflow } from '../../src/sas/index.js'
import { collecting } from './collect-stories.js'
import { continuing } from './continuing-stories.js'
import { gates } from './gate-stories.js'
import { pauses } from './pause-stories.js'
import { questions } from './question-stories.js'
import { repeats } from './repeat-stories.js'
import { services, type Asked } from './remote-services.js'
import {
  backoff,
  chain,
  fan,
  takenBack,
  timing,
  unableAt,
  willing,
  workflowOf,
  type Scenario,
  type ScenarioInput,
} from './scenario.js'
import { stories } from './stories.js'

/** A step, an event, and a step that depends on both. */
const approved = defineWorkflow<ScenarioInput>('scenario', (job) => {
  const reserved = job.step('reserve', services.provide, { item: 'reserve' }, { ...timing, undo: 'none' })
  const approval = job.waitFor<Asked>('approve', { after: [reserved] })
  job.step('ship', services.provide, { item: approval.output.item }, { ...timing, undo: 'none' })
})

const payment = defineWorkflow<Asked, Asked>('payment', (job) => {
  const held = job.step('hold', services.provide, { item: job.input.item }, { ...timing, undo: takenBack })
  return job.step('take', services.provide, { item: held.output.item }, { ...timing, undo: takenBack }).output
})

/** A step for each of two items out of at most three, a nested workflow, and a step that cannot be done. */
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

/** An output that is put into the payload store, needed by a step that cannot be done and by an undo. */
const large = defineWorkflow<ScenarioInput>('scenario', (job) => {
  const item = 'reserve'.padEnd(70_000, '.')
  const reserved = job.step('reserve', services.provide, { item }, { ...timing, undo: takenBack })
  job.step('ship', services.provide, { item: reserved.output.item }, { ...timing, undo: takenBack })
  job.onExhausted('compensate')
})

/** Stories in which every write meets every fault. */
export const scenarios: readonly Scenario[] = [
  ...continuing,
  ...questions,
  ...repeats,
  ...pauses,
  ...collecting,
  ...gates,
  { name: 'large', workflow: large, moods: unableAt('ship'), end: 'Compensated' },
  { name: 'happy', workflow: workflowOf(chain), moods: willing, end: 'Processed' },
  {
    name: 'retry',
    // One attempt more than this refusal and two faults can use up.
    workflow: workflowOf(chain, { retry: { tries: 4, backoff } }),
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
    interventions: [{ when: { state: 'Error' }, command: 'resubmit' }],
    end: 'Processed',
  },
  {
    name: 'cancel',
    workflow: workflowOf(chain),
    moods: willing,
    workMs: 3_000,
    interventions: [{ when: { isDone: 'reserve' }, command: 'cancel' }],
    end: 'Compensated',
    // The last step may be done before the operator's command arrives.
    otherEnds: ['Processed'],
  },
  {
    name: 'event',
    workflow: approved,
    moods: willing,
    interventions: [{ when: { isDone: 'reserve' }, command: { raiseEventFor: 'approve' } }],
    end: 'Processed',
  },
  {
    name: 'event-early',
    workflow: approved,
    moods: willing,
    workMs: 3_000,
    interventions: [{ when: { state: 'Processing' }, command: { raiseEventFor: 'approve' } }],
    end: 'Processed',
  },
  {
    name: 'notified',
    workflow: workflowOf({ charge: [] }),
    moods: unableAt('charge', 1),
    interventions: [{ when: { state: 'Error' }, command: 'resubmit' }],
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
    // The agent asks for more time when less than half of it is left.
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

/** All stories, including those that meet random faults. */
export const everyScenario: readonly Scenario[] = [...scenarios, ...stories]

export function scenarioNamed(name: string): Scenario {
  const found = everyScenario.find((scenario) => scenario.name === name)
  if (found === undefined) throw new RangeError(`there is no scenario ${JSON.stringify(name)}`)
  return found
}

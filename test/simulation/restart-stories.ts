import { condition, defineWorkflow, type Step } from '../../src/sas/index.js'
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
import { services, type Moods } from './remote-services.js'

/** One attempt more than two faults can use up. */
const workflow = workflowOf(chain, { retry: { tries: 4, backoff } })

/** The number of steps with which a job does not fit into one transaction. */
const tooManySteps = 100

/** The same chain in a job that is submitted and restarted in stages. All further steps are skipped. */
const staged = defineWorkflow<ScenarioInput>('scenario', (job) => {
  let before: Step<unknown> | undefined
  for (const item of Object.keys(chain)) {
    const after = before === undefined ? {} : { after: [before] }
    before = job.step(item, services.provide, { item }, { ...timing, ...after, undo: takenBack })
  }
  const when = condition.equal(job.input.jobId, '')
  for (let more = Object.keys(chain).length; more < tooManySteps; more += 1) {
    const options = { ...timing, when, undo: 'none' as const }
    job.step(`more-${more}`, services.provide, { item: 'more' }, options)
  }
})

const restarted = (state: 'Error' | 'Processed', from: string, after: 'undo' | 'keep'): Intervention => ({
  when: { state },
  command: { restartFrom: from, after },
})

/** Stories of restarts, in which every write meets every fault. */
export const restarts: readonly Scenario[] = [
  {
    name: 'restart-undo',
    workflow,
    moods: unableAt('ship', 1),
    interventions: [restarted('Error', 'charge', 'undo')],
    end: 'Processed',
  },
  {
    name: 'restart-keep',
    workflow,
    moods: unableAt('ship', 1),
    interventions: [restarted('Error', 'charge', 'keep')],
    end: 'Processed',
  },
  {
    name: 'restart-staged',
    workflow: staged,
    moods: unableAt('ship', 1),
    interventions: [restarted('Error', 'charge', 'undo')],
    end: 'Processed',
  },
  {
    name: 'restart-cancelled',
    workflow,
    moods: willing,
    workMs: 3_000,
    interventions: [restarted('Processed', 'ship', 'keep'), { when: 'then', command: 'cancel' }],
    end: 'Compensated',
    // The last step may be done before the operator's command arrives.
    otherEnds: ['Processed'],
  },
]

/** The undo of `charge` is refused three times. */
const undoIsBusy: Moods = ({ stepId, isUndo, count }) => {
  if (stepId === 'ship' && !isUndo) return count === 1 ? 'unable' : 'willing'
  return stepId === 'charge' && isUndo && count <= 3 ? 'busy' : 'willing'
}

/** Stories of restarts that meet random faults. */
export const restartStories: readonly (Omit<Scenario, 'isEndOpen'> & { readonly promise: string })[] = [
  {
    name: 'restart-processed',
    promise: 'what a job did after the step is undone once, under its old keys, before it is done again',
    workflow: workflowOf(chain),
    moods: willing,
    interventions: [restarted('Processed', 'charge', 'undo')],
    end: 'Processed',
  },
  {
    name: 'restart-uncertain',
    promise: 'what took effect and lost its answer is undone by the new job',
    workflow: workflowOf(chain),
    moods: ({ stepId, isUndo, count }) =>
      stepId === 'charge' && !isUndo && count <= 3 ? 'unheard' : 'willing',
    interventions: [restarted('Error', 'charge', 'undo')],
    end: 'Processed',
  },
  {
    name: 'restart-undo-fails',
    promise: 'an undo that failed in the new job is made again by a resubmission (F-B4)',
    workflow: workflowOf(chain),
    moods: undoIsBusy,
    interventions: [restarted('Error', 'charge', 'undo'), { when: { state: 'Error' }, command: 'resubmit' }],
    end: 'Processed',
  },
  {
    name: 'restart-twice',
    promise: 'the restart of a restart owns what both jobs did, and undoes it when it is cancelled (F-B5)',
    workflow: workflowOf(chain),
    moods: unableAt('ship', 2),
    interventions: [
      restarted('Error', 'ship', 'undo'),
      restarted('Error', 'charge', 'undo'),
      restarted('Processed', 'ship', 'keep'),
      { when: 'then', command: 'cancel' },
    ],
    end: 'Compensated',
  },
  {
    name: 'restart-beside-resubmit',
    promise: 'a job that is restarted and resubmitted at once is continued by only one of both (F-B2)',
    workflow: workflowOf(chain),
    moods: unableAt('ship', 1),
    interventions: [
      { when: { state: 'Error' }, command: 'resubmit' },
      { when: 'then', command: { restartFrom: 'charge', after: 'keep' } },
    ],
    end: 'Processed',
  },
]

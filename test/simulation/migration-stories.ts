import { condition, defineWorkflow, type StepOptions } from '../../src/sas/index.js'
import { services, type Asked } from './remote-services.js'
import { backoff, takenBack, timing, willing, type Scenario, type ScenarioInput } from './scenario.js'

/** A step, an event, and two steps after it. The old plan leaves out `charge`, and orders `ship` otherwise. */
const workflow = (plan: 'old' | 'new') =>
  defineWorkflow<ScenarioInput>(
    'scenario',
    (job) => {
      const options: StepOptions = { ...timing, retry: { tries: 4, backoff } }
      const undo = takenBack
      const reserved = job.step('reserve', services.provide, { item: 'reserve' }, { ...options, undo })
      const approved = job.waitFor<Asked>('approve', { after: [reserved] })
      const wrong = { ...options, undo, when: condition.equal(approved.output.item, 'never') }
      const right = { ...options, undo, after: [approved], completeWithin: '50s' }
      const charged = job.step(
        'charge',
        services.provide,
        { item: plan === 'old' ? 'cherge' : 'charge' },
        plan === 'old' ? wrong : right,
      )
      const after = plan === 'old' ? [approved] : [charged]
      job.step('ship', services.provide, { item: 'ship' }, { ...options, undo, after })
    },
    { version: plan === 'old' ? 1 : 2 },
  )

const migrated = { migrateTo: workflow('new') }

/** Stories of migrations, in which every write meets every fault. */
export const migrations: readonly Scenario[] = [
  {
    name: 'migrated',
    workflow: workflow('old'),
    moods: willing,
    interventions: [
      { when: { isBegun: 'approve' }, command: migrated },
      { when: 'then', command: { raiseEventFor: 'approve' } },
    ],
    end: 'Processed',
  },
]

/** Stories of migrations that meet random faults. */
export const migrationStories: readonly (Omit<Scenario, 'isEndOpen'> & { readonly promise: string })[] = [
  {
    name: 'migrated-under-way',
    promise: 'a job that is migrated while its step works goes on with the new plan',
    workflow: workflow('old'),
    moods: willing,
    workMs: 3_000,
    isTogether: true,
    interventions: [
      { when: { isBegun: 'reserve' }, command: migrated },
      { when: 'then', command: { raiseEventFor: 'approve' } },
    ],
    end: 'Processed',
  },
  {
    name: 'migrated-late',
    promise: 'a migration at the moment of the next step applies to it as a whole or not at all',
    workflow: workflow('old'),
    moods: willing,
    workMs: 1_000,
    interventions: [
      { when: { isBegun: 'approve' }, command: { raiseEventFor: 'approve' } },
      { when: 'then', command: migrated },
      { when: 'then', command: 'cancel' },
    ],
    end: 'Compensated',
    otherEnds: ['Processed'],
  },
]

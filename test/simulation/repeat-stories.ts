import { condition, defineWorkflow, type OnExhausted } from '../../src/sas/index.js'
import { services } from './remote-services.js'
import { takenBack, timing, unableAt, willing, type Scenario, type ScenarioInput } from './scenario.js'

const options = { ...timing, undo: takenBack }

interface Polling {
  readonly atMost: number
  readonly every?: string
  readonly policy?: OnExhausted | 'continue'
}

/** A step that is wanted in its third round, between two other steps, and a step in its place. */
const polling = ({ atMost, every, policy = 'error' }: Polling) =>
  defineWorkflow<ScenarioInput>('scenario', (job) => {
    const reserved = job.step('reserve', services.provide, { item: 'reserve' }, options)
    const polled = job.repeat(
      'poll',
      services.provide,
      { item: reserved.output.item },
      {
        ...options,
        until: ({ key }) => condition.matches(key, '/r3$'),
        atMost,
        ...(every !== undefined && { every }),
        onExhausted: policy,
      },
    )
    const after = { ...options, after: [polled], when: condition.done(polled) }
    job.step(
      'ship',
      services.provide,
      { item: 'ship' },
      policy === 'continue' ? after : { ...options, after: [polled] },
    )
    if (policy === 'continue') {
      const late = { ...options, when: condition.failed(polled) }
      job.step('apologise', services.provide, { item: 'apologise' }, late)
    }
    job.onExhausted('compensate')
  })

/** Stories of repeated steps, in which every write meets every fault. */
export const repeats: readonly Scenario[] = [
  { name: 'repeat', workflow: polling({ atMost: 5, every: '3s' }), moods: willing, end: 'Processed' },
  {
    name: 'repeat-together',
    workflow: polling({ atMost: 3 }),
    moods: willing,
    isTogether: true,
    end: 'Processed',
  },
  {
    name: 'repeat-undone',
    workflow: polling({ atMost: 3 }),
    moods: unableAt('ship'),
    end: 'Compensated',
  },
  {
    name: 'repeat-given-up',
    workflow: polling({ atMost: 2, every: '2s', policy: 'continue' }),
    moods: willing,
    end: 'Processed',
  },
]

/** Stories of repeated steps that meet random faults. */
export const repeatStories: readonly (Omit<Scenario, 'isEndOpen'> & { readonly promise: string })[] = [
  {
    name: 'repeat-resubmitted',
    promise: 'a step that used up its rounds goes on with the next round when it is resubmitted',
    workflow: polling({ atMost: 2, policy: 'error' }),
    moods: willing,
    interventions: [{ when: { state: 'Error' }, command: 'resubmit' }],
    end: 'Processed',
  },
  {
    name: 'repeat-cancelled',
    promise: 'a job that is cancelled between two rounds is undone with all its rounds',
    workflow: polling({ atMost: 5, every: '30s' }),
    moods: willing,
    interventions: [{ when: { isBegun: 'poll' }, command: 'cancel' }],
    end: 'Compensated',
  },
]

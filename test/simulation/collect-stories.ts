import { condition, defineWorkflow, type Reference } from '../../src/sas/index.js'
import { services, type Asked } from './remote-services.js'
import {
  takenBack,
  timing,
  willing,
  type Intervention,
  type Scenario,
  type ScenarioInput,
} from './scenario.js'

const options = { ...timing, undo: takenBack }

/** Returns the item of an offer. An index of a list has a reference, which its type does not say. */
function itemOf(offer: Reference<Asked> | undefined): Reference<string> {
  if (offer === undefined) throw new Error('a list of references has no such index')
  return offer.item
}

/** Offers after a step, a step for the best, and a step in its place if too few come. */
const offers = (count: number) =>
  defineWorkflow<ScenarioInput>('scenario', (job) => {
    const reserved = job.step('reserve', services.provide, { item: 'reserve' }, options)
    const offered = job.waitFor<Asked>('offers', {
      count,
      completeWithin: '90s',
      onExhausted: 'continue',
      after: [reserved],
    })
    job.step('ship', services.provide, { item: itemOf(offered.output[1]) }, options)
    const late = { ...options, when: condition.timedOut(offered) }
    job.step('apologise', services.provide, { item: itemOf(offered.output[0]) }, late)
  })

const offer = (when: Intervention['when'], key: string): Intervention => ({
  when,
  command: { raiseEventFor: 'offers', key },
})
const begun = { isBegun: 'offers' }
const repeated = [offer(begun, 'ship'), offer('then', 'apologise'), offer('then', 'ship')]

/** Stories of steps that collect events, in which every write meets every fault. */
export const collecting: readonly Scenario[] = [
  {
    name: 'collect',
    workflow: offers(3),
    moods: willing,
    interventions: [...repeated, offer('then', 'third'), offer('then', 'fourth')],
    end: 'Processed',
  },
  {
    name: 'collect-timed-out',
    workflow: offers(3),
    moods: willing,
    interventions: repeated,
    end: 'Processed',
  },
]

/** Stories of steps that collect events and meet random faults. */
export const collectingStories: readonly (Omit<Scenario, 'isEndOpen'> & { readonly promise: string })[] = [
  {
    name: 'collect-early',
    promise: 'events that come before their step begins, in the middle and after it are each counted once',
    workflow: offers(2),
    moods: willing,
    interventions: [
      offer({ state: 'Processing' }, 'ship'),
      offer('then', 'ship'),
      offer(begun, 'second'),
      offer('then', 'third'),
    ],
    end: 'Processed',
  },
  {
    name: 'collect-cancelled',
    promise: 'a job that is cancelled while it collects is undone',
    workflow: offers(3),
    moods: willing,
    interventions: [...repeated, { when: 'then', command: 'cancel' }],
    end: 'Compensated',
  },
]

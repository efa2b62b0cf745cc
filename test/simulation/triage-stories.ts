import type { Moods } from './remote-services.js'
import { backoff, fan, unableAt, willing, workflowOf, type Scenario } from './scenario.js'

/** Services that refuse the first call of two parallel steps. */
const twoRefuse: Moods = (call) =>
  (call.stepId === 'flight' || call.stepId === 'car') && call.count === 1
    ? unableAt(call.stepId)(call)
    : willing(call)

const parks = { onExhausted: 'park' } as const

/** Stories of a snooze that meet random faults. */
export const triageStories: readonly (Omit<Scenario, 'isEndOpen'> & { readonly promise: string })[] = [
  {
    name: 'snoozed-parallel',
    promise: 'a snooze of one parked step does not hide that another step is parked, and the job goes on',
    workflow: workflowOf(fan, { retry: { tries: 4, backoff } }, { of: { flight: parks, car: parks } }),
    moods: twoRefuse,
    interventions: [
      { when: { isFlagged: 'parked' }, command: { snooze: '1h' } },
      { when: { isAwake: 'parked' }, command: 'release' },
    ],
    end: 'Processed',
  },
]

import { expect, it } from 'vitest'
import { givenUp } from '../../../../src/sas/decisions/give-up.js'
import { aStep } from '../../../support/a-job.js'

it.each([
  ['do', 'park', 'parked'],
  ['do', 'error', 'error'],
  ['undo', 'park', 'compensationFailed'],
  ['undo', 'error', 'compensationFailed'],
] as const)(
  'a step that is given up in the direction %s with the policy %s is flagged %s',
  (direction, onExhausted, kind) => {
    const step = aStep({
      direction,
      onExhausted,
      lockedBy: 'scheduler-1',
      completeByMs: 7,
      completeBy: 'then',
    })
    expect(givenUp(step, { now: 0, by: 'supervisor-1', message: 'late' })).toMatchObject({
      lockedBy: null,
      completeByMs: null,
      attention: {
        kind,
        since: '1970-01-01T00:00:00.000Z',
        by: 'supervisor-1',
        message: 'late',
        stepId: step.stepId,
      },
    })
  },
)

import { expect, it } from 'vitest'
import { cancelPlan } from '../../../../src/sas/decisions/operator/cancel-plan.js'
import type { StepDocument } from '../../../../src/sas/model/documents.js'
import { aJob, aStep } from '../../../support/a-job.js'

const undo = { actor: 'shop', action: 'takeBack', whenUncertain: true } as unknown as StepDocument['undo']

it('names the undos in their order, and the failed steps that may have acted', () => {
  const done = { processState: 'Processed', dispatch: 1, undo } as const
  const failed = { processState: 'Error', dispatch: 1, direction: 'do', mayHaveActed: true } as const
  const steps = [
    aStep({ stepId: 'reserve', ...done }),
    aStep({ stepId: 'pay', ...done, dependsOn: ['reserve'] }),
    aStep({ stepId: 'send', ...failed, undo: null }),
  ]
  const job = aJob({
    stepIds: ['reserve', 'pay', 'send'],
    steps: {
      reserve: { state: 'Processed', dispatch: 1 },
      pay: { state: 'Processed', dispatch: 1 },
      send: { state: 'Error', dispatch: 1 },
    },
  })
  expect(cancelPlan(job, steps)).toEqual({
    stopped: [],
    undone: ['pay', 'reserve'],
    kept: ['send'],
    uncertain: ['send'],
  })
})

import { claim, giveBack, joinAttempt } from '../../src/sas/decisions/claim.js'
import { extend } from '../../src/sas/decisions/extend.js'
import { operate } from '../../src/sas/decisions/operator/operate.js'
import { raiseEvent } from '../../src/sas/decisions/operator/raise-event.js'
import { mustRead } from '../../src/sas/decisions/readers.js'
import { recoverJob } from '../../src/sas/decisions/recover-job.js'
import { recoverStep, retireStep } from '../../src/sas/decisions/recover-step.js'
import { schedule } from '../../src/sas/decisions/schedule.js'
import { settle } from '../../src/sas/decisions/settle.js'
import { submit } from '../../src/sas/submission/submit.js'

/** All decisions about a job, so that a test can remove one guard and check that the search notices. */
export interface Decisions {
  readonly submit: typeof submit
  readonly schedule: typeof schedule
  readonly schedulerMustRead: typeof mustRead.scheduler
  readonly claim: typeof claim
  readonly joinAttempt: typeof joinAttempt
  readonly giveBack: typeof giveBack
  readonly extend: typeof extend
  readonly settle: typeof settle
  readonly recoverStep: typeof recoverStep
  readonly rest: typeof retireStep
  readonly recoverJob: typeof recoverJob
  readonly operate: typeof operate
  readonly raiseEvent: typeof raiseEvent
  /** Whether the store writes a document that has changed since it was read. */
  readonly isWrittenWhenStale: boolean
}

export const production: Decisions = {
  submit,
  schedule,
  schedulerMustRead: mustRead.scheduler,
  claim,
  joinAttempt,
  giveBack,
  extend,
  settle,
  recoverStep,
  rest: retireStep,
  recoverJob,
  operate,
  raiseEvent,
  isWrittenWhenStale: false,
}

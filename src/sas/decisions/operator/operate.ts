import { betweenStates, deadline, isStaged, withDerivedState } from '../../model/process-state.js'
import { isWaiting } from '../../model/work.js'
import {
  atOnce,
  list,
  refused,
  requested,
  type Operation,
  type OperatorCommand,
  type Standing,
} from './request.js'
import { pause, resume } from './pause-job.js'
import { handedOver } from './restart.js'
import { resubmit } from './resubmit.js'
import { triage } from './triage.js'

/**
 * Writes an operator's command into the job as a request to the scheduler (W10). Only a triage requests nothing. No
 * other decision changes a terminal document (I7). A command that was completed before is refused (F-O2).
 */
export function operate(standing: Standing, command: OperatorCommand): Operation {
  // The new job owns the undo of everything that this job did (I34).
  if (standing.job.restartedAs !== undefined) {
    return refused(`job ${standing.job.jobId} is over: ${handedOver(standing.job.restartedAs)}`)
  }
  if (isStaged(standing.job)) return refused(`job ${standing.job.jobId} is still being submitted`)
  switch (command.kind) {
    case 'resubmit':
      return resubmit(standing, command)
    case 'release':
      return release(standing, command)
    case 'cancel':
      return cancel(standing, command)
    case 'pause':
      return pause(standing, command)
    case 'resume':
      return resume(standing, command)
    case 'triage':
      return triage(standing, command)
  }
}

function release(standing: Standing, command: OperatorCommand & { kind: 'release' }): Operation {
  const { job, steps, now } = standing
  const waiting = [...steps.values()].filter(isWaiting)
  const named = waiting.filter(({ stepId }) => command.stepId === undefined || stepId === command.stepId)
  if (named.length === 0) {
    if (command.stepId === undefined) return refused(`no step of job ${job.jobId} is parked or waiting`)
    const others = list(waiting.map(({ stepId }) => stepId))
    return refused(`step ${command.stepId} of job ${job.jobId} is not parked or waiting; waiting: ${others}`)
  }
  const changed = atOnce(named, job).map((step) =>
    withDerivedState({
      ...step,
      attention: null,
      notBeforeMs: null,
      failureCount: 0,
      fence: step.fence + 1,
      ...deadline(now + step.completeWithinMs),
    }),
  )
  return requested(standing, command, { job, changed, isComplete: changed.length === named.length })
}

function cancel(standing: Standing, command: OperatorCommand & { kind: 'cancel' }): Operation {
  const { job, now } = standing
  if (job.processState === 'Processed' || job.processState === 'Compensated') {
    return refused(`job ${job.jobId} is ${job.processState}: it has ended, and there is nothing to stop`)
  }
  // A job that is being undone before a new generation may still be cancelled.
  if (job.compensation?.thenRetry === false) {
    return refused(`job ${job.jobId} is already being undone (${job.compensation.reason})`)
  }
  const since = new Date(now).toISOString()
  return requested(standing, command, {
    changed: [],
    job: {
      ...job,
      currentState: betweenStates,
      desiredState: job.initialState,
      compensation: { since, by: command.by, reason: `cancelled: ${command.why}`, thenRetry: false },
    },
  })
}

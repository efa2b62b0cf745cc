import { continuingSchema } from '../../model/documents.js'
import { isTerminal } from '../../model/process-state.js'
import { isPausedWith } from '../../pauses/pause-with.js'
import { refused, requested, type Operation, type OperatorCommand, type Standing } from './request.js'

/**
 * Pauses a job. The write changes only the job, and every dispatch replaces the job, so no attempt is
 * dispatched after this write (I27). Instances that do not know pauses leave the job alone, because of its
 * schema.
 */
export function pause(
  standing: Standing,
  command: OperatorCommand & { kind: 'pause' | 'resume' },
): Operation {
  const { job, now } = standing
  if (isTerminal(job)) {
    return refused(`job ${job.jobId} is ${job.processState}: it has ended, and there is nothing to pause`)
  }
  if (job.paused) {
    return refused(`job ${job.jobId} was already paused by ${job.paused.by} at ${job.paused.since}`)
  }
  const paused = { since: new Date(now).toISOString(), by: command.by, why: command.why }
  const schema = Math.max(job.schema, continuingSchema)
  const pausedWith = command.with ?? (job.pausedWith === undefined ? undefined : null)
  const change = { paused, schema, endByMs: job.endByMs }
  return keeping(standing, command, pausedWith === undefined ? change : { ...change, pausedWith })
}

/** Ends the pause of a job. The deadline of the job becomes later by the time of the pause. */
export function resume(
  standing: Standing,
  command: OperatorCommand & { kind: 'pause' | 'resume' },
): Operation {
  const { job, now } = standing
  if (!job.paused) return refused(`job ${job.jobId} is not paused`)
  if (command.with !== undefined && !isPausedWith(job, command.with)) {
    return refused(`job ${job.jobId} is not paused with ${command.with.kind} ${command.with.name}`)
  }
  const pausedMs = Math.max(0, now - Date.parse(job.paused.since))
  return keeping(standing, command, {
    paused: null,
    pausedWith: null,
    endByMs: job.endByMs && job.endByMs + pausedMs,
  })
}

/** Returns the request to the scheduler. A pause does not end what an operator must look at. */
function keeping(
  standing: Standing,
  command: OperatorCommand & { kind: 'pause' | 'resume' },
  change: Partial<Standing['job']>,
): Operation & { kind: 'write' } {
  const request = requested(standing, command, { job: standing.job, changed: [] })
  const { attention, triage, otherTriages } = standing.job
  const kept = {
    attention,
    ...(triage === undefined ? {} : { triage }),
    ...(otherTriages === undefined ? {} : { otherTriages }),
  }
  return { ...request, job: { ...request.job, ...kept, ...change } }
}

/** @import { Job } from './shapes.js' */
import { counted, momentText } from './formats.js'

/**
 * Returns one sentence that says why a job is not further.
 *
 * @param {Job} job
 * @param {number} now
 */
export function whyNotFurther(job, now) {
  const { state, attention, steps, compensation } = job
  if (state === 'Processed') return 'Every step is done.'
  if (state === 'Compensated')
    return `Everything was undone: ${compensation?.reason ?? 'no reason is recorded'}.`
  if (attention !== null) return `It needs a person: ${attention.message}`
  const running = steps.filter((step) => step.state === 'Processing' || step.state === 'Compensating')
  const asked = running.find((step) => step.kind === 'waitFor' && step.event === null)
  if (asked !== undefined) return `Step ${asked.stepId} waits for its event.`
  const sleeping = running.find((step) => step.kind === 'sleep')
  if (sleeping !== undefined)
    return `Step ${sleeping.stepId} sleeps until ${until(sleeping.completeBy, now)}.`
  const backing = steps.find((step) => step.notBefore !== null && Date.parse(step.notBefore) > now)
  if (backing !== undefined) {
    return `Step ${backing.stepId} failed ${backing.failureCount} of ${backing.maxFailures} times, and is tried again at ${until(backing.notBefore, now)}.`
  }
  const failed = running.find((step) => step.failureCount > 0)
  if (failed !== undefined) return `Step ${failed.stepId} makes attempt ${failed.attempt}.`
  if (running.length > 0) {
    const names = running.slice(0, 3).map((step) => step.stepId)
    const more = running.length > 3 ? ` and ${counted(running.length - 3, 'other', 'others')}` : ''
    return `An agent works on ${names.join(', ')}${more}.`
  }
  return state === 'Pending' ? 'No scheduler has taken it yet.' : 'The scheduler decides what follows.'
}

/**
 * @param {string | null} at
 * @param {number} now
 */
function until(at, now) {
  return at === null ? 'an unknown time' : momentText(at, now)
}

import type { Telemetry } from '../../telemetry/index.js'
import type { Gatekeeper } from '../gates/gatekeeper.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import type { Settled, Written } from './job-writer.js'
import type { KnownJobs } from './known-jobs.js'

/**
 * Returns the steps whose places at gates a decision frees: steps that are over or stopped, and steps that wait
 * for an operator. A step whose job is paused leaves with the place that it had.
 */
export function leavingGates(
  before: JobDocument,
  { job: after, changed }: Written,
  { known, settled }: { readonly known: KnownJobs; readonly settled?: Settled },
): readonly StepDocument[] {
  const written = new Map(changed.map((step) => [step.stepId, step]))
  return after.stepIds.flatMap((stepId) => {
    if (before.steps[stepId]?.state !== 'Processing') return []
    const own = settled?.after.stepId === stepId ? settled.after : undefined
    const step = written.get(stepId) ?? own ?? known.step(before, stepId)
    if (step?.place === undefined) return []
    const was = own === undefined ? known.step(before, stepId) : settled?.before
    const isOutside = step.held !== undefined && was?.place?.entry !== step.place.entry
    if (isOutside) return was?.place === undefined ? [] : [was]
    const isAtWork = after.steps[stepId]?.state === 'Processing' && step.attention?.kind !== 'parked'
    return isAtWork ? [] : [step]
  })
}

/** Frees the places of steps. If the process dies before, a supervisor frees them. */
export function leaveGates(steps: readonly StepDocument[], gates: Gatekeeper, telemetry: Telemetry): void {
  for (const { pk, jobId, stepId, place } of steps) {
    if (place === undefined) continue
    const visitor = { pk, jobId, stepId, entry: place.entry }
    for (const { key } of place.gates) {
      gates.leave(key, visitor).catch((error: unknown) => {
        telemetry.emit({ type: 'loop.failed', loop: 'gates', error })
      })
    }
  }
}

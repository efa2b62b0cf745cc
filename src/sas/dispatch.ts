import { deadline, withDerivedState, type JobDocument, type Json, type StepDocument } from './documents.js'
import { resolveTemplate } from './plan.js'

/** Who dispatches steps of which job, and when. */
export interface Dispatching {
  readonly job: JobDocument
  /** The steps known, by step id: among them those whose outputs the dispatched ones refer to. */
  readonly steps: ReadonlyMap<string, StepDocument>
  readonly now: number
  readonly scheduler: string
}

/** Bytes of one transaction, with room for what the store adds to its 2 MB limit (I16). */
const maxTransactionBytes = 1_900_000

/**
 * The steps as they are written when they are dispatched: as many of `ready` as fit one transaction beside the job, at
 * least one. The rest follows when this write comes back in the feed. A step whose input alone is too large can never
 * be dispatched: it is flagged for a person instead.
 */
export function dispatchSteps(ready: readonly StepDocument[], by: Dispatching): readonly StepDocument[] {
  const outputs = new Map<string, Json>([...by.steps].map(([stepId, step]) => [stepId, step.output]))
  let leftBytes = maxTransactionBytes - bytesOf(by.job)
  const dispatched: StepDocument[] = []
  for (const step of ready) {
    const whole = dispatchStep(step, outputs, by)
    const isTooLarge = bytesOf(whole) > maxTransactionBytes - bytesOf(by.job)
    const next = isTooLarge ? refused(step, whole, by) : whole
    leftBytes -= bytesOf(next)
    if (leftBytes < 0 && dispatched.length > 0) break
    dispatched.push(next)
  }
  return dispatched
}

function dispatchStep(
  step: StepDocument,
  outputs: ReadonlyMap<string, Json>,
  { job, now, scheduler }: Dispatching,
): StepDocument {
  const isFirst = step.dispatch === 0
  return withDerivedState({
    ...step,
    desiredState: step.targetState,
    lockedBy: scheduler,
    dispatch: step.dispatch + 1,
    fence: step.fence + 1,
    attempt: step.failureCount + 1,
    input: isFirst ? resolveTemplate(step.inputTemplate, { input: job.input, outputs }) : step.input,
    outcome: null,
    ...deadline(now + step.completeWithinMs),
  })
}

function refused(step: StepDocument, whole: StepDocument, { now, scheduler }: Dispatching): StepDocument {
  const attention = {
    kind: 'error' as const,
    since: new Date(now).toISOString(),
    by: scheduler,
    message: `its input has ${bytesOf(whole.input)} bytes, too many for one transaction: pass where the data is, not the data`,
    stepId: step.stepId,
  }
  return withDerivedState({ ...whole, input: null, lockedBy: null, attention, ...deadline(null) })
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

import { wholeJob } from '../gates/job-place.js'
import type { Visitor } from '../model/gate-documents.js'
import type { JobDocument, StepDocument } from '../model/documents.js'

/** A step that this process has put into the queue of a limit, or a job, whose `stepId` is empty. */
export interface WaitingStep {
  readonly step: Pick<StepDocument, 'pk' | 'jobId' | 'stepId' | 'priority'>
  readonly leaseToken: string
}

/** The largest number of steps that are remembered. Further steps are offered by a write. */
const maxRemembered = 20_000

/**
 * Remembers the steps that wait at a limit and whose jobs this process drives, so that it can go on with a called
 * step without a write. A lost entry costs only that write.
 */
export class WaitingHere {
  private readonly waiting = new Map<string, WaitingStep>()

  /** Remembers the waiting steps among those that were written with a job, and forgets the others. */
  note(job: JobDocument, steps: readonly StepDocument[], leaseToken: string | null): void {
    const isHere = job.lockedBy !== null && leaseToken !== null
    for (const step of [asStep(job), ...steps]) {
      const { place, pk, jobId, stepId, priority, lockedBy } = step
      if (place === undefined) continue
      const name = nameOf({ pk, jobId, stepId, entry: place.entry })
      const isWaiting = place.waitsFor !== null && lockedBy === null
      if (!isHere || !isWaiting) this.waiting.delete(name)
      else if (this.waiting.size < maxRemembered) {
        this.waiting.set(name, { step: { pk, jobId, stepId, priority }, leaseToken })
      }
    }
  }

  /** Returns the step, and forgets it. */
  take(visitor: Visitor): WaitingStep | null {
    const name = nameOf(visitor)
    const found = this.waiting.get(name) ?? null
    this.waiting.delete(name)
    return found
  }

  forgetLease(leaseToken: string): void {
    for (const [name, waiting] of this.waiting) {
      if (waiting.leaseToken === leaseToken) this.waiting.delete(name)
    }
  }
}

/** Returns what `note` reads of a step, for a job that waits at limits of its own. */
function asStep({ place, pk, jobId, priority }: JobDocument) {
  return { place, pk, jobId, stepId: wholeJob, priority, lockedBy: null }
}

function nameOf({ pk, jobId, stepId, entry }: Visitor): string {
  return JSON.stringify([pk, jobId, stepId, entry])
}

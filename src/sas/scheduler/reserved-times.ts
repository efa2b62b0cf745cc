import type { Clock, Timer } from '../../platform/index.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import type { WaitingStep } from './waiting-here.js'

/** The largest number of steps with a timer. A supervisor offers further steps, a few seconds after their times. */
const maxTimers = 20_000

interface Reserved extends WaitingStep {
  readonly atMs: number
  readonly timer: Timer
}

/**
 * Begins the steps of this process at the times that rates have reserved for them. A supervisor would offer them later, by the
 * clock of another host. Then all steps of a job whose times have passed would begin together, faster than the rate.
 * If the process dies, a supervisor does it.
 */
export class ReservedTimes {
  private readonly reserved = new Map<string, Reserved>()

  constructor(
    private readonly clock: Clock,
    private readonly begin: (step: WaitingStep) => void,
  ) {}

  /** Notes the reserved times of steps that were written with a job, and forgets those of the other steps. */
  note(job: JobDocument, steps: readonly StepDocument[], leaseToken: string | null): void {
    for (const step of steps) {
      if (step.place === undefined) continue
      const name = nameOf(step)
      const atMs = job.lockedBy === null ? null : reservedTimeOf(step)
      if (this.reserved.get(name)?.atMs === atMs) continue
      this.forget(name)
      if (atMs === null || leaseToken === null || this.reserved.size >= maxTimers) continue
      const { pk, jobId, stepId, priority } = step
      this.set(name, { step: { pk, jobId, stepId, priority }, leaseToken }, atMs)
    }
  }

  forgetLease(leaseToken: string): void {
    for (const [name, reserved] of this.reserved) if (reserved.leaseToken === leaseToken) this.forget(name)
  }

  /** Forgets all times, because this process stops. */
  stop(): void {
    for (const name of this.reserved.keys()) this.forget(name)
  }

  private set(name: string, waiting: WaitingStep, atMs: number): void {
    const timer = this.clock.schedule(Math.max(0, atMs - this.clock.now()), () => {
      // The clock may have been set back meanwhile.
      if (this.clock.now() < atMs) {
        this.set(name, waiting, atMs)
        return
      }
      this.reserved.delete(name)
      this.begin(waiting)
    })
    this.reserved.set(name, { ...waiting, atMs, timer })
  }

  private forget(name: string): void {
    this.reserved.get(name)?.timer.cancel()
    this.reserved.delete(name)
  }
}

/** Returns the time that a rate has reserved for the next attempt of a step, or null. */
function reservedTimeOf({ place, lockedBy, notBeforeMs }: StepDocument): number | null {
  const reservedMs = place?.reservedMs ?? null
  return lockedBy === null && notBeforeMs === reservedMs ? reservedMs : null
}

function nameOf({ pk, jobId, stepId }: StepDocument): string {
  return JSON.stringify([pk, jobId, stepId])
}

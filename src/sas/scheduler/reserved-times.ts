import type { Clock, Timer } from '../../platform/index.js'
import type { GateRequest, Passes } from '../gates/pass.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { rateOf } from '../model/gate-parts.js'
import { UnwrittenTimes } from './unwritten-times.js'
import type { WaitingStep } from './waiting-here.js'

/** The largest number of steps with a timer. A supervisor offers further steps, a few seconds after their times. */
const maxTimers = 20_000

interface Reserved extends WaitingStep {
  readonly atMs: number
  readonly timer: Timer
}

/** The shortest time for which an attempt may be late if no process has a timer for it, as after an outage. */
const mayBeLateMs = 5_000

/**
 * Begins the steps of this process at the times that rates have reserved for them. A supervisor would offer them later, by the
 * clock of another host. Then all steps of a job whose times have passed would begin together, faster than the rate.
 * If the process dies, a supervisor offers them, and the next scheduler sets timers for the other steps of the job.
 */
export class ReservedTimes {
  private readonly reserved = new Map<string, Reserved>()
  private readonly unwritten: UnwrittenTimes

  constructor(
    private readonly clock: Clock,
    private readonly begin: (step: WaitingStep, ended: () => void) => void,
  ) {
    this.unwritten = new UnwrittenTimes(clock)
  }

  /** Checks whether a step has come to its reserved time by another way than a timer of this process. */
  isMissed({ step, reservedMs }: GateRequest): boolean {
    return step !== null && reservedMs !== null && this.reserved.get(nameOf(step))?.atMs !== reservedMs
  }

  /**
   * Returns what a step asks of its gates. A time that a gate has reserved before is not reserved again, unless it was missed
   * for long. Then the rate reserves another time, so that late attempts do not begin together. A step with a timer keeps
   * its time however late the timer is. If it did not, an overloaded scheduler would begin no step at all.
   */
  asked(request: GateRequest): GateRequest {
    const asked = this.unwritten.asked(request)
    const { reservedMs } = asked
    const isLost =
      reservedMs !== null && this.isMissed(asked) && this.clock.now() - reservedMs > mostLateMs(asked)
    return isLost ? { ...asked, reservedMs: null, reservedAt: null } : asked
  }

  /** Remembers the times that gates have reserved, until the steps are written. */
  answered(requests: readonly GateRequest[], passes: Passes, leaseToken: string): void {
    this.unwritten.answered(requests, passes, leaseToken)
  }

  /** Sets timers for the steps of a job that an earlier process has driven, unless their times have passed. */
  resume(steps: Iterable<StepDocument>, leaseToken: string): void {
    for (const step of steps) {
      const atMs = reservedTimeOf(step)
      if (atMs !== null && atMs > this.clock.now()) this.add(step, atMs, leaseToken)
    }
  }

  /** Notes the reserved times of steps that were written with a job, and forgets those of the other steps. */
  note(job: JobDocument, steps: readonly StepDocument[], leaseToken: string | null): void {
    for (const step of steps) {
      if (step.place === undefined) continue
      const name = nameOf(step)
      this.unwritten.written(step)
      const atMs = job.lockedBy === null ? null : reservedTimeOf(step)
      if (this.reserved.get(name)?.atMs === atMs) continue
      this.forget(name)
      if (atMs !== null && leaseToken !== null) this.add(step, atMs, leaseToken)
    }
  }

  forgetLease(leaseToken: string): void {
    for (const [name, reserved] of this.reserved) if (reserved.leaseToken === leaseToken) this.forget(name)
    this.unwritten.forgetLease(leaseToken)
  }

  /** Forgets all times, because this process stops. */
  stop(): void {
    for (const name of this.reserved.keys()) this.forget(name)
  }

  private add(step: StepDocument, atMs: number, leaseToken: string): void {
    const name = nameOf(step)
    if (this.reserved.has(name) || this.reserved.size >= maxTimers) return
    const { pk, jobId, stepId, priority } = step
    this.set(name, { step: { pk, jobId, stepId, priority }, leaseToken }, atMs)
  }

  private set(name: string, waiting: WaitingStep, atMs: number): void {
    const timer = this.clock.schedule(Math.max(0, atMs - this.clock.now()), () => {
      // The clock may have been set back meanwhile.
      if (this.clock.now() < atMs) {
        this.set(name, waiting, atMs)
        return
      }
      // Until the step has begun, its time is not missed.
      this.begin(waiting, () => {
        if (this.reserved.get(name) === reserved) this.reserved.delete(name)
      })
    })
    const reserved = { ...waiting, atMs, timer }
    this.reserved.set(name, reserved)
  }

  private forget(name: string): void {
    this.reserved.get(name)?.timer.cancel()
    this.reserved.delete(name)
  }
}

/**
 * Returns how late an attempt may begin after its time. At a low rate, the times are further apart, so that hardly any
 * attempts begin together.
 */
function mostLateMs({ gates }: GateRequest): number {
  return Math.max(mayBeLateMs, ...gates.map((gate) => 1_000 / (rateOf(gate).perSecond ?? Infinity)))
}

/** Returns the time that a rate has reserved for the next attempt of a step, or null. */
function reservedTimeOf({ place, lockedBy, notBeforeMs }: StepDocument): number | null {
  const reservedMs = place?.reservedMs ?? null
  return lockedBy === null && notBeforeMs === reservedMs ? reservedMs : null
}

function nameOf({ pk, jobId, stepId }: StepDocument): string {
  return JSON.stringify([pk, jobId, stepId])
}

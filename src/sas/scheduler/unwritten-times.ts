import type { Clock } from '../../platform/index.js'
import { homeOf } from '../gates/home.js'
import type { GateRequest, Passes } from '../gates/pass.js'
import type { StepDocument } from '../model/documents.js'
import { rateOf, type GateOfStep } from '../model/gate-parts.js'

/** The largest number of times that are remembered. Then the oldest is forgotten, and lost for the rate. */
const maxRemembered = 20_000

interface Unwritten {
  /** The run, the attempt and the gates of the step that asked. */
  readonly of: string
  /** The gates, with the rates that have given the time. */
  readonly gates: readonly GateOfStep[]
  readonly atMs: number
  readonly reservedAt: string | null
  readonly leaseToken: string
}

/**
 * Remembers the times that rates have reserved for steps that are not written with them yet. A write may fail, or not have
 * room for all steps. If the steps then asked again, the times before would be lost, and the rate with them.
 */
export class UnwrittenTimes {
  /** The times by step, oldest first. */
  private readonly times = new Map<string, Unwritten>()

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** Returns what a step asks of its gates, with the time that is already reserved for this attempt. */
  asked(request: GateRequest): GateRequest {
    const known = request.step === null ? undefined : this.times.get(nameOf(request.step))
    if (known?.of !== askerOf(request)) return request
    const { gates, atMs, reservedAt } = known
    return { ...request, gates, reservedMs: atMs, reservedAt }
  }

  answered(requests: readonly GateRequest[], passes: Passes, leaseToken: string): void {
    for (const request of requests) {
      const { step, gates } = request
      const pass = step === null ? undefined : passes.get(step.stepId)
      if (step === null || pass?.kind !== 'inside') continue
      const { atMs, reservedAt } = pass
      const isReserved =
        atMs > this.clock.now() || pass.gates.some((gate) => rateOf(gate).perSecond !== undefined)
      // A gate in the partition of the job is written with the job, so a failed write has reserved nothing.
      const isWithJob = gates.some(({ key }) => homeOf(key) !== null)
      if (!isReserved || isWithJob) continue
      const [oldest] = this.times.size < maxRemembered ? [] : this.times.keys()
      if (oldest !== undefined) this.times.delete(oldest)
      this.times.set(nameOf(step), { of: askerOf(request), gates: pass.gates, atMs, reservedAt, leaseToken })
    }
  }

  written(step: StepDocument): void {
    this.times.delete(nameOf(step))
  }

  forgetLease(leaseToken: string): void {
    for (const [name, known] of this.times) if (known.leaseToken === leaseToken) this.times.delete(name)
  }
}

function askerOf({ step, entry, gates }: GateRequest): string {
  return JSON.stringify([entry, step?.dispatch, step?.fence, step?.generation, gates.map(({ key }) => key)])
}

function nameOf({ pk, jobId, stepId }: StepDocument): string {
  return JSON.stringify([pk, jobId, stepId])
}

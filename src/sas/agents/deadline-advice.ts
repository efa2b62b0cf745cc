import type { Telemetry } from '../../telemetry/index.js'
import type { StepDocument } from '../model/documents.js'
import { workOf } from '../model/work.js'

export interface DeadlineAdviceOptions {
  readonly telemetry: Telemetry
  readonly instanceName: string
  /** The longest time for which a feed range may have no reader after an instance died. */
  readonly failoverMs: number
}

/** The number of attempts that are kept for each operation, and the number needed for a judgement. */
const [lookedBackAt, enough] = [200, 100]
/** The tolerated share of attempts that the deadline cuts off. */
const bearableShare = 0.01

/** The latest attempts of one operation. Each entry says whether the deadline cut the attempt off. */
interface Seen {
  /** A ring buffer; `next` is the index of its oldest entry. */
  readonly cutOff: boolean[]
  next: number
}

/**
 * Judges from the attempts of this instance whether the deadlines of steps suit their operations (R57). This
 * class only reports, once for each operation and reason.
 */
export class DeadlineAdvice {
  private readonly seen = new Map<string, Seen>()
  private readonly told = new Set<string>()

  constructor(private readonly options: DeadlineAdviceOptions) {}

  noteBegun(step: StepDocument): void {
    const { failoverMs } = this.options
    // Steps that need a claim get no advice, because an unclaimed attempt does not count as a failure, even
    // if the range has no reader for a long time.
    if (step.isClaimRequired || step.maxFailures * step.completeWithinMs >= failoverMs) return
    const attempts =
      step.maxFailures === 1
        ? 'the one attempt of the step is'
        : `all ${step.maxFailures} attempts of the step are`
    this.advise(
      'failover',
      step,
      `another instance takes over from a dead one after up to ${failoverMs} ms, and ${attempts} over ` +
        'before that; allow more time or more attempts, or set claim: true',
    )
  }

  /** Notes that an attempt succeeded, or that its deadline cut it off. */
  noteEnded(step: StepDocument, isCutOff: boolean): void {
    const key = operationOf(step)
    const seen = this.seen.get(key) ?? { cutOff: [], next: 0 }
    this.seen.set(key, seen)
    seen.cutOff[seen.next] = isCutOff
    seen.next = (seen.next + 1) % lookedBackAt
    if (!isCutOff || seen.cutOff.length < enough) return
    const count = seen.cutOff.filter(Boolean).length
    if (count / seen.cutOff.length <= bearableShare) return
    this.advise(
      'duration',
      step,
      `${count} of its last ${seen.cutOff.length} attempts took longer; allow more time, let the handler ` +
        'ask for more time (context.extend), or check what the handler waits for',
    )
  }

  private advise(reason: 'failover' | 'duration', step: StepDocument, advice: string): void {
    const operation = operationOf(step)
    const matter = `${operation} ${reason}`
    if (this.told.has(matter)) return
    this.told.add(matter)
    const { telemetry, instanceName } = this.options
    const { workflow, stepId, completeWithinMs } = step
    telemetry.emit({
      type: 'deadline.doubted',
      operation,
      workflow,
      stepId,
      completeWithinMs,
      advice,
      instanceName,
    })
  }
}

function operationOf(step: StepDocument): string {
  const { actor, action } = workOf(step)
  return `${actor}.${action}`
}

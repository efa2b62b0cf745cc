import type { Telemetry } from '../../telemetry/index.js'
import type { StepDocument } from '../model/documents.js'
import { workOf } from '../model/work.js'

export interface DeadlineAdviceOptions {
  readonly telemetry: Telemetry
  readonly instanceName: string
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
 * class only reports, once for each operation.
 */
export class DeadlineAdvice {
  private readonly seen = new Map<string, Seen>()
  private readonly told = new Set<string>()

  constructor(private readonly options: DeadlineAdviceOptions) {}

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
      step,
      `${count} of its last ${seen.cutOff.length} attempts took longer; allow more time, let the handler ` +
        'ask for more time (context.extend), or check what the handler waits for',
    )
  }

  private advise(step: StepDocument, advice: string): void {
    const operation = operationOf(step)
    if (this.told.has(operation)) return
    this.told.add(operation)
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

import type { DocumentAddress } from '../../store/state-store.js'

/** The number of remembered steps. Each step takes about 200 bytes. */
const rememberedSteps = 100_000

/** The fields that identify an attempt at a step. */
interface Attempted extends DocumentAddress {
  readonly fence: number
}

/**
 * Remembers the attempts that began recently in this process, because the feed may still deliver older
 * versions of their steps. When the feed has delivered the end of an attempt, the attempt is forgotten,
 * because a later job with the same id uses the same fences again.
 */
export class BegunAttempts {
  private readonly fences = new Map<string, number>()

  put(step: Attempted): void {
    const key = keyOf(step)
    this.fences.delete(key)
    this.fences.set(key, step.fence)
    const [oldest] = this.fences.keys()
    if (oldest !== undefined && this.fences.size > rememberedSteps) this.fences.delete(oldest)
  }

  /** Forgets an attempt whose end the feed has delivered, unless a later attempt at the step has begun. */
  forget(step: Attempted): void {
    if (this.has({ ...step, fence: step.fence + 1 })) return
    this.fences.delete(keyOf(step))
  }

  /** Checks whether this attempt, or a later attempt at the same step, began in this process. */
  has(step: Attempted): boolean {
    return (this.fences.get(keyOf(step)) ?? Number.NEGATIVE_INFINITY) >= step.fence
  }
}

function keyOf({ pk, id }: DocumentAddress): string {
  return `${pk}\n${id}`
}

import type { DocumentAddress } from '../store/state-store.js'

/** The number of remembered steps. Each takes about 200 bytes. */
const rememberedSteps = 10_000

/** The fields of a step that distinguish its attempts. */
interface Attempted extends DocumentAddress {
  readonly fence: number
}

/**
 * Remembers attempts that began in this process recently, because the feed may still deliver older versions
 * of their steps. Once the feed has delivered the end of an attempt, no older version follows. The attempt is
 * then forgotten, because a later job with the same id may count attempts from 1.
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

  /** Forgets an attempt after the feed has delivered its end. Keeps a later attempt at the same step. */
  forget(step: Attempted): void {
    if (this.has({ ...step, fence: step.fence + 1 })) return
    this.fences.delete(keyOf(step))
  }

  /** Checks whether this attempt, or a later one at the same step, began in this process. */
  has(step: Attempted): boolean {
    return (this.fences.get(keyOf(step)) ?? Number.NEGATIVE_INFINITY) >= step.fence
  }
}

function keyOf({ pk, id }: DocumentAddress): string {
  return `${pk}\n${id}`
}

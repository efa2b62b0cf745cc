import type { DocumentAddress } from './state-store.js'

/** Steps that are remembered, at some 200 bytes each. */
const rememberedSteps = 10_000

/** A step as far as it tells its attempts apart. */
interface Attempted extends DocumentAddress {
  readonly fence: number
}

/**
 * Which attempts were begun here lately: the feed may still bring their steps as they were before. Once it has brought
 * the end of one it does not, and a later job of the same id may count its attempts from the beginning.
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

  /** The feed has brought the step as it was when this attempt was over. */
  forget(step: Attempted): void {
    if (this.has({ ...step, fence: step.fence + 1 })) return
    this.fences.delete(keyOf(step))
  }

  /** Whether this attempt, or a later one at the same step, was begun here. */
  has(step: Attempted): boolean {
    return (this.fences.get(keyOf(step)) ?? Number.NEGATIVE_INFINITY) >= step.fence
  }
}

function keyOf({ pk, id }: DocumentAddress): string {
  return `${pk}\n${id}`
}

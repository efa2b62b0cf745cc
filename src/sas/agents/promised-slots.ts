import type { Clock } from '../../platform/index.js'
import type { StepDocument } from '../model/documents.js'
import { workOf } from '../model/work.js'
import { attemptKeyOf } from './attempts/attempt-key.js'
import type { Slots } from './slots.js'

/** The time after which a promise ends, for example because the attempt was not written. */
const keptMs = 5_000

/** The slots for attempts that are being written, and that start afterwards. */
export class PromisedSlots {
  /** The agents of the attempts, with the times of the promises, oldest first. */
  private readonly promised = new Map<string, { readonly agent: string; readonly atMs: number }>()

  constructor(
    private readonly slots: Slots,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks whether the attempt will find a slot, and keeps this slot for it. The slot of an attempt that has ended, and that is written
   * with this one, is free by then.
   */
  promise(step: StepDocument, ended: StepDocument | undefined): boolean {
    const now = this.clock.monotonic()
    for (const [key, { atMs }] of this.promised) {
      if (now - atMs < keptMs) break
      this.promised.delete(key)
    }
    const { actor: agent } = workOf(step)
    const key = attemptKeyOf(step)
    this.promised.delete(key)
    const others = [...this.promised.values()].map((other) => other.agent)
    if (!this.slots.willHaveRoomFor(agent, others, ended === undefined ? null : workOf(ended).actor))
      return false
    // The attempt takes the slot that becomes free, so that no other slot is kept.
    if (ended === undefined) this.promised.set(key, { agent, atMs: now })
    return true
  }

  /** Ends the promise, because the attempt starts now, or was not written. */
  end(step: StepDocument): void {
    this.promised.delete(attemptKeyOf(step))
  }
}

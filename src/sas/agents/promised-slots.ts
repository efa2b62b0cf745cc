import type { Clock } from '../../platform/index.js'
import type { StepDocument } from '../model/documents.js'
import { workOf } from '../model/work.js'
import { attemptKeyOf } from './attempts/attempt-key.js'
import type { Slots } from './slots.js'

/** The time after which a promise ends, for example because the attempt was not written. */
const keptMs = 5_000

/** The slots for attempts that are being written, and that start afterwards. */
export class PromisedSlots {
  /** The agents of the attempts, oldest first. */
  private readonly agents = new Map<string, string>()
  /** The times of the promises. */
  private readonly times = new Map<string, number>()

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
    for (const [key, atMs] of this.times) {
      if (now - atMs < keptMs) break
      this.endOf(key)
    }
    const { actor: agent } = workOf(step)
    const key = attemptKeyOf(step)
    this.endOf(key)
    const freed = ended === undefined ? null : workOf(ended).actor
    if (!this.slots.willHaveRoomFor(agent, this.agents.values(), freed)) return false
    // The attempt takes the slot that becomes free, so that no other slot is kept.
    if (ended === undefined) {
      this.agents.set(key, agent)
      this.times.set(key, now)
    }
    return true
  }

  /** Ends the promise, because the attempt starts now, or was not written. */
  end(step: StepDocument): void {
    if (this.agents.size > 0) this.endOf(attemptKeyOf(step))
  }

  private endOf(key: string): void {
    this.agents.delete(key)
    this.times.delete(key)
  }
}

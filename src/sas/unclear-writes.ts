import { StoreUnavailable } from './errors.js'
import type { ApplyResult } from './state-store.js'

/** Writes of unknown outcome of one decision: a lost answer is repeated at once, after a second one comes a pause. */
const maxUnclear = 2

/**
 * The writes of one decision whose outcome is unknown. After each of them the decision is read and decided again; if it
 * still has something to write, it is written once more and then left to the caller, who tries again after a pause (F-X4).
 */
export class UnclearWrites {
  private count = 0

  /** @param what is named in the error, such as `job job-1` */
  constructor(private readonly what: string) {}

  /**
   * The write, unless the store needs a pause first.
   *
   * @throws StoreUnavailable when it does, and whatever `write` throws
   */
  async write(write: () => Promise<ApplyResult>): Promise<ApplyResult> {
    if (this.count === maxUnclear) {
      const message = `${this.what}: the outcome of ${this.count} writes is unknown; it is tried again after a pause`
      throw new StoreUnavailable(message, { cause: null })
    }
    const result = await write()
    if (result.kind === 'applied') this.count = 0
    if (result.kind === 'unknownOutcome') this.count += 1
    return result
  }
}

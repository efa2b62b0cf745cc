import { StoreUnavailable } from '../model/errors.js'
import type { ApplyResult } from './state-store.js'

/**
 * The number of writes in a row whose outcome may be unknown. After the first of them, the caller tries again
 * immediately. After the second, it must pause first.
 */
const maxUnclear = 2

/**
 * Counts the writes whose outcome is unknown, for one decision. After each of these writes, the caller reads
 * and decides again. After the second, the next write throws, so that the caller pauses before another try
 * (F-X4).
 */
export class UnclearWrites {
  private count = 0

  /** @param what the name in the error, such as `job job-1` */
  constructor(private readonly what: string) {}

  /**
   * Runs the write, unless the store needs a pause first.
   *
   * @throws StoreUnavailable if the store needs a pause; also any error of `write`
   */
  async write(write: () => Promise<ApplyResult>): Promise<ApplyResult> {
    if (this.count === maxUnclear) {
      const message =
        `${this.what}: the outcome of ${this.count} writes is unknown; ` + 'wait before the next try'
      throw new StoreUnavailable(message, { cause: null })
    }
    const result = await write()
    if (result.kind === 'applied') this.count = 0
    if (result.kind === 'unknownOutcome') this.count += 1
    return result
  }
}

import type { Clock, Random } from '../../../platform/index.js'
import type { ResolvedRetry, RetryOptions } from '../../../platform/internal.js'
import type { AttemptTime } from './attempt-time.js'

/**
 * Retries in the time of an attempt. Without time for another try, the work fails while its failure can be recorded (R72, R77).
 * The class is for speed: an object literal with a getter for the signal would cost several times as much.
 */
export class AttemptRetry implements RetryOptions {
  readonly clock: Clock
  readonly random: Random
  readonly tries: number
  readonly backoff: RetryOptions['backoff']

  /** @param mayPass checks whether a failure may be temporary */
  constructor(
    { clock, random }: Pick<RetryOptions, 'clock' | 'random'>,
    private readonly time: AttemptTime,
    { tries, backoff }: ResolvedRetry,
    private readonly mayPass: (error: unknown) => boolean,
  ) {
    this.clock = clock
    this.random = random
    this.tries = tries
    this.backoff = backoff
  }

  /** Made only if it is needed. See {@link AttemptTime}. */
  get signal(): AbortSignal {
    return this.time.signal
  }

  isTransient(error: unknown): boolean {
    return this.mayPass(error) && this.time.outlasts(this.backoff.maxMs)
  }
}

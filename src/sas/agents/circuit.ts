import {
  BrokenCircuitError,
  circuitBreaker,
  ConsecutiveBreaker,
  handleWhenResult,
  type IBackoff,
} from 'cockatiel'
import type { Clock } from '../../platform/index.js'
import type { Outcome } from '../decisions/settle.js'

/** When an agent leaves its remote service alone, and for how long. */
export interface CircuitOptions {
  /** Attempts of one instance that must fail in a row. */
  readonly failures: number
  readonly openForMs: number
}

/**
 * Runs attempts of one agent while its remote service seems to be there. After several failures in a row attempts fail
 * at once for a while, without a call; then one of them tries, and the others wait for what comes of it (R82). What it
 * knows is this process's own and decides nothing: a refused attempt is a courtesy failure like any other (R78).
 */
export class Circuit {
  private readonly policy
  private openUntilMs = Number.NEGATIVE_INFINITY

  constructor(
    private readonly agent: string,
    private readonly options: CircuitOptions,
    private readonly clock: Clock,
  ) {
    const breaker = new ConsecutiveBreaker(options.failures)
    const isFailure = (outcome: unknown): boolean => !isAnswer(outcome as Outcome | null)
    this.policy = circuitBreaker(handleWhenResult(isFailure), {
      breaker,
      halfOpenAfter: { next: () => this.opened() },
    })
  }

  /** Whether its remote service is being left alone at this moment. */
  get isOpen(): boolean {
    return this.clock.monotonic() < this.openUntilMs
  }

  /** What the attempt comes to; a failure without one while the circuit is open. */
  async run(attempt: () => Promise<Outcome | null>): Promise<Outcome | null> {
    try {
      return await this.policy.execute(attempt)
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) throw error
      const { failures, openForMs } = this.options
      const rule = `after ${failures} failures in a row it is left alone for ${openForMs} ms`
      return { kind: 'failed', message: `the remote service of agent ${this.agent} was not called: ${rule}` }
    }
  }

  /** The library compares this with the machine's clock: for ever, or no time at all, as ours says. */
  private opened(): IBackoff<unknown> {
    this.openUntilMs = this.clock.monotonic() + this.options.openForMs
    const restMs = (): number => (this.isOpen ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY)
    return {
      get duration() {
        return restMs()
      },
      next: () => this.opened(),
    }
  }
}

/** A permanent failure is an answer of the remote service: it is there. No outcome in time is none. */
function isAnswer(outcome: Outcome | null): boolean {
  return outcome !== null && outcome.kind !== 'failed'
}

import {
  BrokenCircuitError,
  circuitBreaker,
  ConsecutiveBreaker,
  handleWhenResult,
  type IBackoff,
} from 'cockatiel'
import type { Clock } from '../../platform/index.js'
import type { Outcome } from '../decisions/settle.js'

export interface CircuitOptions {
  /** The number of attempts in one instance that must fail in a row before the circuit opens. */
  readonly failures: number
  readonly openForMs: number
}

/** The result that the breaker gets for an attempt that a stop has ended. */
const stopped = Symbol('stopped')

/**
 * The circuit breaker of one agent. After several failures in a row, attempts fail for a while without a
 * call. Then one attempt is made as a test, and the other attempts wait for its result (R82). The breaker
 * counts only the attempts of this process. An attempt that the breaker refuses is an ordinary reported
 * failure (R78).
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
    const isFailure = (made: unknown): boolean => made !== stopped && !isAnswer(made as Outcome | null)
    this.policy = circuitBreaker(handleWhenResult(isFailure), {
      breaker,
      halfOpenAfter: { next: () => this.opened() },
    })
  }

  get isOpen(): boolean {
    return this.clock.monotonic() < this.openUntilMs
  }

  /**
   * Makes an attempt and returns its outcome. While the circuit is open, returns a failure instead. An attempt that ends because
   * `stopping` has aborted is no failure of the remote service.
   */
  async run(attempt: () => Promise<Outcome | null>, stopping: AbortSignal): Promise<Outcome | null> {
    if (stopping.aborted) return null
    try {
      const made = await this.policy.execute(async () => {
        const outcome = await attempt()
        return outcome === null && stopping.aborted ? stopped : outcome
      })
      return made === stopped ? null : made
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) throw error
      const { failures, openForMs } = this.options
      const rule = `after ${failures} failures in a row it is not called for ${openForMs / 1_000} s`
      // The errors of those failures may contain secrets of other jobs, so the message does not quote them.
      return { kind: 'failed', message: `the remote service of agent ${this.agent} was not called: ${rule}` }
    }
  }

  /**
   * Returns the back-off of an open circuit. Cockatiel compares the back-off with the machine's clock, but
   * our own clock must decide. So the back-off is infinite: positive while our clock says that the circuit is
   * open, and negative afterwards.
   */
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

/** Creates the circuit breakers of the agents that have one, by the names of the agents. */
export function circuitsOf(
  agents: Iterable<{ readonly name: string; readonly circuit: CircuitOptions | null }>,
  clock: Clock,
): ReadonlyMap<string, Circuit> {
  const circuits = [...agents].flatMap(({ name, circuit }) =>
    circuit === null ? [] : [[name, new Circuit(name, circuit, clock)] as const],
  )
  return new Map(circuits)
}

/** Checks whether the remote service answered. A permanent failure is an answer. A missing outcome is not. */
function isAnswer(outcome: Outcome | null): boolean {
  return outcome !== null && outcome.kind !== 'failed'
}

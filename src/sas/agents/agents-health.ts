import type { Clock } from '../../platform/index.js'
import type { Circuit } from './circuit.js'

/** After this number of lost outcomes in a row, an instance takes no work for `restMs`. */
const mostLost = 3
const restMs = 60_000

/**
 * Judges from recent outcomes whether an agents instance should take work (R124). This class only reports,
 * and the change feed processor gives the leases back.
 */
export class AgentsHealth {
  private lost = 0
  private lostAtMs = Number.NEGATIVE_INFINITY

  /** @param circuits one entry for each agent here; null for an agent without a circuit breaker */
  constructor(
    private readonly clock: Clock,
    private readonly circuits: readonly (Circuit | null)[],
  ) {}

  /** Notes that an outcome was recorded, which proves that the store answers. */
  noteRecorded(): void {
    this.lost = 0
  }

  /** Notes that an outcome could not be recorded in time. */
  noteLost(): void {
    this.lost += 1
    this.lostAtMs = this.clock.monotonic()
  }

  /** Returns the reason why this instance should take no work, or null. */
  unhealthyReason(): string | null {
    if (this.lost >= mostLost && this.clock.monotonic() - this.lostAtMs < restMs) {
      return `the outcomes of the last ${this.lost} attempts could not be recorded`
    }
    const isNoneReached =
      this.circuits.length > 0 && this.circuits.every((circuit) => circuit?.isOpen === true)
    return isNoneReached ? 'the remote service of every agent here keeps failing' : null
  }
}

import type { Clock } from '../../platform/index.js'
import type { Circuit } from './circuit.js'

/** Outcomes in a row that were lost to the store before an instance takes no more work, and for how long. */
const mostLost = 3
const restMs = 60_000

/**
 * Whether an agents instance should take work (R124), judged by what became of the work it had. It only says so; that the
 * instance gives its leases back is the processor's part. What it knows is this process's own and decides nothing.
 */
export class AgentsHealth {
  private lost = 0
  private lostAtMs = Number.NEGATIVE_INFINITY

  /** `circuits`: one for each agent here, null for an agent that has none. */
  constructor(
    private readonly clock: Clock,
    private readonly circuits: readonly (Circuit | null)[],
  ) {}

  /** An outcome was recorded: the store answers. */
  noteRecorded(): void {
    this.lost = 0
  }

  /** An outcome could not be recorded in its time. */
  noteLost(): void {
    this.lost += 1
    this.lostAtMs = this.clock.monotonic()
  }

  /** Why others should do the work; null while this instance is well. After a rest it tries again. */
  problem(): string | null {
    if (this.lost >= mostLost && this.clock.monotonic() - this.lostAtMs < restMs) {
      return `the outcomes of the last ${this.lost} attempts could not be recorded`
    }
    const isNoneReached =
      this.circuits.length > 0 && this.circuits.every((circuit) => circuit?.isOpen === true)
    return isNoneReached ? 'the remote service of every agent here keeps failing' : null
  }
}

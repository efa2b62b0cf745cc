import type { Clock, Timer } from '../../platform/index.js'

/** The shortest time from one look that a hint leads to until the next one. */
const pauseMs = 1_000

/**
 * Looks at the leases after hints about ranges that this instance does not read: the owner may have released their leases, for
 * example because it is stopping. Looks at most once a second.
 *
 * States: idle → due (a hint less than a second after a look) → idle (the look, or `stop`).
 */
export class HintedLooks {
  private lookedAtMs = -Infinity
  private timer: Timer | null = null

  constructor(
    private readonly clock: Clock,
    private readonly look: () => void,
  ) {}

  hinted(): void {
    const restMs = Math.max(0, this.lookedAtMs + pauseMs - this.clock.monotonic())
    this.timer ??= this.clock.schedule(restMs, () => {
      this.timer = null
      this.lookedAtMs = this.clock.monotonic()
      this.look()
    })
  }

  stop(): void {
    this.timer?.cancel()
  }
}

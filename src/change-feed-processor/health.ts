import type { Clock } from '../platform/index.js'
import type { Telemetry, TelemetryEvent } from '../telemetry/index.js'

/** The health of a processor, judged by its recent actions. */
export interface ProcessorHealth {
  /** True between a start and the following stop. */
  readonly isRunning: boolean
  /**
   * Whether the balancing loop began a turn within the last four acquire intervals, even if the store did not
   * answer. False means that this process is stuck and a restart may help.
   */
  readonly isAlive: boolean
  /** Whether the leases were listed within the last five acquire intervals and all held leases are alive. */
  readonly isHealthy: boolean
  /**
   * The last time that a delegate handled a page, or that a poll found nothing new. Null before the first
   * time.
   */
  readonly lastProgress: Date | null
  /** The last time the balancing loop began a turn. Null before the first time. */
  readonly lastTurn: Date | null
  /** The last time the store listed the leases. Null before the first time. */
  readonly lastBalance: Date | null
  readonly leases: readonly LeaseHealth[]
}

/**
 * Shows whether one lease is read and delivered. Renewals of the lease, and calls of a delegate that hangs or
 * fails, are not progress.
 */
export interface LeaseHealth {
  readonly leaseToken: string
  readonly lastProgress: Date
  /** True if the lease made progress within the allowed time, or if the processor is paused. */
  readonly isAlive: boolean
}

/** The limits within which a processor counts as alive. */
export interface HealthLimits {
  /** The longest time between two turns of the balancing loop, in milliseconds. */
  readonly turnMs: number
  /** The longest time between two listings of the leases, in milliseconds. */
  readonly balanceMs: number
  /** The longest time between two signs of progress on a lease, in milliseconds. */
  readonly progressMs: number
}

/** A moment as a monotonic time for comparisons and as a time for users. */
interface Moment {
  readonly monotonicMs: number
  /** Milliseconds since the epoch. */
  readonly atMs: number
}

/**
 * Judges whether the loops of a running processor are alive, by its events and by the turns that its
 * balancing loop begins. A loop that hangs emits no events and begins no turns.
 */
export class HealthMonitor implements Telemetry {
  private readonly progress = new Map<string, Moment>()
  private latest: Moment | null = null
  private balanced: Moment | null = null
  private turn: Moment | null = null
  private readonly created: Moment

  constructor(
    private readonly clock: Clock,
    private readonly limits: HealthLimits,
  ) {
    this.created = this.moment()
  }

  emit(event: TelemetryEvent): void {
    const { type } = event
    if (type === 'leases.listed') this.balanced = this.moment()
    else if (type === 'lease.acquired') this.progress.set(event.leaseToken, this.moment())
    else if (type === 'lease.released') this.progress.delete(event.leaseToken)
    else if (type === 'page.delivered') this.progressOn(event.leaseToken)
    // A page with changes is progress only after the delegate has handled the page.
    else if (type === 'feed.polled' && event.count === 0) this.progressOn(event.leaseToken)
  }

  /** Records that the balancing loop begins a turn. */
  turned(): void {
    this.turn = this.moment()
  }

  /** Records the end of a pause, so that the paused time does not count against the leases. */
  resumed(): void {
    const moment = this.moment()
    for (const leaseToken of this.progress.keys()) this.progress.set(leaseToken, moment)
  }

  /** @param isPaused whether delivery is paused, so that leases without progress count as alive */
  health(isPaused = false): ProcessorHealth {
    const leases = [...this.progress].map(([leaseToken, last]) => ({
      leaseToken,
      lastProgress: new Date(last.atMs),
      isAlive: isPaused || this.isWithin(last, this.limits.progressMs),
    }))
    const isBalancing = this.isWithin(this.balanced ?? this.created, this.limits.balanceMs)
    return {
      isRunning: true,
      isAlive: this.isWithin(this.turn ?? this.created, this.limits.turnMs),
      lastTurn: dateOf(this.turn),
      isHealthy: isBalancing && leases.every(({ isAlive }) => isAlive),
      lastProgress: dateOf(this.latest),
      lastBalance: dateOf(this.balanced),
      leases,
    }
  }

  private progressOn(leaseToken: string): void {
    this.latest = this.moment()
    if (this.progress.has(leaseToken)) this.progress.set(leaseToken, this.latest)
  }

  private isWithin({ monotonicMs }: Moment, limitMs: number): boolean {
    return this.clock.monotonic() - monotonicMs <= limitMs
  }

  private moment(): Moment {
    return { monotonicMs: this.clock.monotonic(), atMs: this.clock.now() }
  }
}

function dateOf(moment: Moment | null): Date | null {
  return moment === null ? null : new Date(moment.atMs)
}

export const notRunning: ProcessorHealth = {
  isRunning: false,
  isAlive: false,
  isHealthy: false,
  lastProgress: null,
  lastTurn: null,
  lastBalance: null,
  leases: [],
}

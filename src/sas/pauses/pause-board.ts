import type { Clock } from '../../platform/index.js'
import { BackgroundLoop } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import type { PausesDocument, PauseEntry } from '../model/operator-documents.js'
import type { StateStore } from '../store/state-store.js'
import { readPauses } from './stored-pauses.js'

/** The time between two reads of the pauses by a scheduler that owns leases. */
const readEveryMs = 15_000

/** The shortest time between two reads because of hints. */
const hintedEveryMs = 1_000

/** The time for which a scheduler may decide by a reading (I35). */
const usableForMs = 30_000

/** The pauses of workflows and agents that are on, as they were read. */
export interface PauseReading {
  readonly entries: readonly PauseEntry[]
  /** The time before the read, by the monotonic clock of this process. */
  readonly atMs: number
}

export interface PauseBoardOptions {
  readonly store: Pick<StateStore, 'read'>
  readonly clock: Clock
  readonly telemetry: Telemetry
}

/** Calls a listener with the range of each write, or with null for a write that concerns all ranges. */
interface PauseHints {
  subscribe(listener: (rangeId: string | null) => void): () => void
}

/**
 * Knows which workflows and agents are paused, for the scheduler of this process. Every decision needs a reading that
 * is at most {@link usableForMs} old. So no later decision dispatches an attempt of what was paused, also if the
 * store or this process stood still meanwhile. The scheduler of the document's own range also learns of each change
 * by the feed.
 *
 * The board is idle, then reads again and again after `start` while it has leases, and is idle again after `stop`.
 */
export class PauseBoard {
  private reading: PauseReading | null = null
  private newest: PausesDocument | null = null
  private readonly leases = new Set<string>()
  /** The beginning of the newest read, by the monotonic clock of this process. */
  private readAtMs = -Infinity
  private isHinted = false
  private endHints = (): void => undefined
  private readonly loop: BackgroundLoop

  constructor(private readonly options: PauseBoardOptions) {
    const { clock, telemetry } = options
    this.loop = new BackgroundLoop({
      clock,
      turn: async () => {
        if (this.leases.size === 0) return readEveryMs
        const tooSoonMs = this.isHinted ? this.readAtMs + hintedEveryMs - clock.monotonic() : 0
        if (tooSoonMs > 0) return tooSoonMs
        this.isHinted = false
        await this.read()
        return readEveryMs
      },
      onError: (error) => {
        telemetry.emit({ type: 'loop.failed', loop: 'pauses', error })
        return soonMs
      },
    })
  }

  /** @param hints A hint about all ranges may be about a pause. */
  start(hints?: PauseHints): void {
    this.loop.start()
    const heard = (rangeId: string | null): void => (rangeId === null ? this.hinted() : undefined)
    this.endHints = hints?.subscribe(heard) ?? this.endHints
  }

  stop(): Promise<void> {
    this.endHints()
    return this.loop.stop()
  }

  leaseAcquired(leaseToken: string): void {
    this.leases.add(leaseToken)
    if (this.usable === null) this.loop.wake()
  }

  leaseReleased(leaseToken: string): void {
    this.leases.delete(leaseToken)
  }

  /** Reads the pauses soon, because they may have changed. A lost hint costs only a delay. */
  hinted(): void {
    if (this.leases.size === 0) return
    this.isHinted = true
    this.loop.wake()
  }

  /** Takes a version of the document that the feed delivered. It does not show that there is no newer one. */
  note(pauses: PausesDocument): void {
    if (this.reading === null || (this.newest !== null && pauses.stampMs <= this.newest.stampMs)) return
    this.newest = pauses
    this.reading = { ...this.reading, entries: entriesOn(pauses) }
  }

  /** The newest reading, if decisions may still use it. */
  get usable(): PauseReading | null {
    return this.reading !== null && this.isUsable(this.reading) ? this.reading : null
  }

  isUsable({ atMs }: PauseReading): boolean {
    return this.options.clock.monotonic() - atMs < usableForMs
  }

  /**
   * Returns the newest reading, or reads if it is too old.
   *
   * @throws StoreUnavailable if the store could not be reached
   */
  async current(): Promise<PauseReading> {
    return this.usable ?? this.read()
  }

  /** @throws StoreUnavailable if the store could not be reached */
  async read(): Promise<PauseReading> {
    const { store, clock } = this.options
    const atMs = clock.monotonic()
    this.readAtMs = atMs
    const read = await readPauses(store)
    // A replica of the store may be behind. A document that was removed by hand pauses nothing.
    const isBehind = read !== null && this.newest !== null && read.stampMs < this.newest.stampMs
    if (!isBehind) this.newest = read
    const reading = { entries: entriesOn(this.newest), atMs }
    if (this.reading === null || this.reading.atMs <= atMs) this.reading = reading
    return reading
  }
}

/** The pause after a failed read. */
const soonMs = 1_000

function entriesOn(pauses: PausesDocument | null): readonly PauseEntry[] {
  return pauses?.entries.filter(({ phase }) => phase === 'on') ?? []
}

import type { Clock } from '../../platform/index.js'
import { BackgroundLoop } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import type { DocumentAddress } from '../store/state-store.js'
import { DueEntries, type DueEntry } from './due-entries.js'
import { Sweep } from './sweep.js'

export interface DueWorkOptions<T extends DueEntry> {
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly name: string
  /**
   * Works on due entries. An entry is only a hint, so the work reads the document first. Returns the entries
   * that are due again, with their new times. If `run` throws, all its entries are due again after
   * `retryAfterMs`.
   */
  readonly run: (due: readonly T[], stop: AbortSignal) => Promise<readonly T[]>
  readonly retryAfterMs: number
  readonly runsAtOnce: number
  /** The largest number of entries of one run. Default 1. */
  readonly entriesPerRun?: number
  /** Returns the number of milliseconds for which no run may begin. Default 0. */
  readonly pauseMs?: () => number
  /** Checks whether an entry replaces the known entry of its document. Default: always true. */
  readonly isNews?: (entry: T, known: T | null) => boolean
  /**
   * Lists a page of entries from the store, always in the same order: the first entries, or the entries after
   * `last`. A page with fewer than `limit` entries is the last page.
   */
  readonly list: (last: T | null, limit: number) => Promise<readonly T[]>
  readonly sweepIntervalMs: number
  /** The largest number of entries in a page of the sweep. Default 1,000. */
  readonly sweepLimit?: number
}

/**
 * The shortest pause before the next page of a sweep. The same pause follows if every run failed, because the
 * cause is then probably the store.
 */
const soonMs = 1_000

/**
 * Works on documents when they are due. The feed delivers most of these documents. A sweep lists the
 * documents that the feed delivered to an instance that has died. Runs begin in the order of due times,
 * without waiting for each other. At most `runsAtOnce` runs are under way at the same time.
 *
 * The object is idle, then running after `start`, then stopping after `stop`, then idle again. `stop` aborts
 * the signal of the runs and waits for their end. The next owner of the leases finds the work that is left.
 */
export class DueWork<T extends DueEntry> {
  private readonly entries: DueEntries<T>
  private readonly runs = new Set<Promise<void>>()
  private readonly loop: BackgroundLoop
  private readonly sweep: Sweep
  /**
   * The last entry that the sweep listed. Null before its first page. When a lease is acquired, another sweep
   * begins with the first page.
   */
  private listed: { last: T | null } = { last: null }
  private failuresInARow = 0
  private resumeAtMs = 0
  private stopping = new AbortController()

  constructor(private readonly options: DueWorkOptions<T>) {
    const { clock, telemetry, sweepIntervalMs: intervalMs } = options
    this.entries = new DueEntries(options.isNews)
    this.loop = new BackgroundLoop({
      clock,
      turn: () => Promise.resolve(this.beginDue()),
      onError: (error) => {
        this.failed(error)
        return soonMs
      },
    })
    this.sweep = new Sweep({ clock, telemetry, intervalMs, ask: () => this.notePage() })
  }

  start(): void {
    this.stopping = new AbortController()
    this.loop.start()
    this.sweep.start()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await Promise.all([this.loop.stop(), this.sweep.stop()])
    await Promise.all(this.runs)
  }

  /** Starts a sweep, which finds the work that the previous owner of the lease left. */
  leaseAcquired(leaseToken: string, isFirstRange: boolean): void {
    this.listed = { last: null }
    this.sweep.leaseAcquired(leaseToken, isFirstRange)
  }

  /** Forgets the entries of a lease. Runs under way continue, but their entries are not noted again. */
  leaseReleased(leaseToken: string): void {
    this.sweep.leaseReleased(leaseToken)
    this.entries.forgetLease(leaseToken)
  }

  note(entry: T): void {
    const before = this.entries.next()
    this.entries.note(entry)
    const after = this.entries.next()
    if (after === null) return
    // An overdue entry wakes the loop even if it is not the first, because the clock may have been corrected.
    if (before === null || after < before || after <= this.options.clock.now()) this.loop.wake()
  }

  forget(address: DocumentAddress): void {
    this.entries.forget(address)
  }

  private beginDue(): number {
    const { clock, runsAtOnce, entriesPerRun = 1, pauseMs, sweepIntervalMs } = this.options
    const now = clock.now()
    const waitMs = Math.max(this.resumeAtMs - clock.monotonic(), pauseMs?.() ?? 0)
    if (waitMs > 0) return waitMs
    while (this.runs.size < runsAtOnce) {
      const due = this.entries.takeDue(now, entriesPerRun)
      if (due.length === 0) break
      this.begin(due)
    }
    const next = this.entries.next()
    // The end of a run wakes this loop.
    if (next === null || this.runs.size >= runsAtOnce) return sweepIntervalMs
    return Math.max(0, next - now)
  }

  private begin(due: readonly T[]): void {
    const run = this.run(due).then((again) => {
      this.runs.delete(run)
      this.entries.end(due, again)
      this.loop.wake()
    })
    this.runs.add(run)
  }

  private async run(due: readonly T[]): Promise<readonly T[]> {
    const { clock, run, retryAfterMs, runsAtOnce } = this.options
    const stop = this.stopping.signal
    try {
      const again = await run(due, stop)
      this.failuresInARow = 0
      return again
    } catch (error) {
      if (stop.aborted) return []
      this.failed(error)
      this.failuresInARow += 1
      // Entries that keep failing must not delay other entries. If all runs fail, the store gets a pause.
      if (this.failuresInARow % runsAtOnce === 0) this.resumeAtMs = clock.monotonic() + soonMs
      return due.map((entry) => ({ ...entry, dueMs: clock.now() + retryAfterMs }))
    }
  }

  /** Notes a page of the sweep. Returns the pause before the next page, or null after the last page. */
  private async notePage(): Promise<number | null> {
    const { clock, list, sweepIntervalMs, sweepLimit = 1_000 } = this.options
    const { listed } = this
    const page = await list(listed.last, sweepLimit)
    for (const entry of page) this.note(entry)
    // The loop checks the time again, because the clock may have been corrected since the loop began to wait.
    this.loop.wake()
    const last = page.length < sweepLimit ? undefined : page.at(-1)
    listed.last = last ?? null
    return last === undefined ? null : Math.min(Math.max(soonMs, last.dueMs - clock.now()), sweepIntervalMs)
  }

  private failed(error: unknown): void {
    const { telemetry, name } = this.options
    telemetry.emit({ type: 'loop.failed', loop: name, error })
  }
}

/** Makes a run that works on each entry. `work` returns the next due time of its entry, or null. */
export function forEachEntry<T extends DueEntry>(
  work: (entry: T, stop: AbortSignal) => Promise<number | null>,
): DueWorkOptions<T>['run'] {
  return async (due, stop) => {
    const again = due.map(async (entry) => {
      const dueMs = await work(entry, stop)
      return dueMs === null ? [] : [{ ...entry, dueMs }]
    })
    return (await Promise.all(again)).flat()
  }
}

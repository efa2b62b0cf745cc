import type { Container, CosmosEngine } from '../engine/index.js'
import { systemClock } from '../../platform/index.js'
import { KeptSummaries } from './summaries/kept-summaries.js'

/** Queries read smaller containers as a whole, so they need no summaries on disk. */
export const fewestDocuments = 1_000

/** The time without a write after which all summaries are written. */
const idleMs = 1_000

/** The most summaries of a container that the end of a process writes, so that it takes less than half a second. */
const mostAtEnd = 128

/**
 * Keeps the summaries of blocks on disk up to date, so that the first query after a start need not read all
 * documents. It writes the summary of a block that is quiet. When the store is idle, it writes those of all blocks,
 * and some of them when the store is closed.
 */
export class SummaryWriter {
  private readonly written = new Set<Container>()
  private readonly unsubscribe: () => void
  private readonly startTimer: { cancel: () => void }
  private writes = 0
  private idleTimer: { cancel: () => void } | null = null
  private isWorking = false
  private isClosed = false

  constructor(private readonly engine: CosmosEngine) {
    this.unsubscribe = engine.writes.subscribe((rid) => {
      this.noteWrite(rid)
    })
    // The first query then finds the summaries in memory.
    this.startTimer = systemClock.schedule(0, () => {
      this.start()
    })
  }

  /** Writes up to `mostAtEnd` missing summaries of each container, and no longer listens for writes. */
  close(): void {
    this.isClosed = true
    this.unsubscribe()
    this.startTimer.cancel()
    this.idleTimer?.cancel()
    try {
      for (const summaries of this.kept()) {
        let left = mostAtEnd
        while (left > 0 && summaries.hasUnsaved) left -= summaries.saveNext()
      }
    } catch {
      // A record that cannot be read must not keep the directory from being closed.
    }
  }

  /** Reads the summaries of a store that was opened, and writes those that are missing if it is idle. */
  private start(): void {
    for (const database of this.engine.databases) {
      for (const container of database.containers)
        if (summariesOf(container) !== null) this.written.add(container)
    }
    if (this.written.size === 0) return
    this.begin(false)
    this.idleTimer ??= this.idleTimerFrom(this.writes)
  }

  private noteWrite(rid: string): void {
    this.writes += 1
    const container = this.containerOf(rid)
    const summaries = container === undefined ? null : summariesOf(container)
    if (container !== undefined && summaries !== null) {
      this.written.add(container)
      if (summaries.hasWork) this.begin(false)
    }
    // A write of any container ends the work of an idle store, so the work must begin again later.
    if (this.written.size > 0) this.idleTimer ??= this.idleTimerFrom(this.writes)
  }

  private idleTimerFrom(writes: number): { cancel: () => void } {
    return systemClock.schedule(idleMs, () => {
      this.idleTimer = null
      // The work under way may be only that of quiet blocks.
      if (this.writes === writes && !this.isWorking) this.begin(true)
      else this.idleTimer = this.idleTimerFrom(this.writes)
    })
  }

  private begin(isIdle: boolean): void {
    if (this.isWorking) return
    this.isWorking = true
    this.work(isIdle)
      // A record that cannot be read fails the request that needs it, and a full disk fails the next write.
      .catch(() => undefined)
      .finally(() => {
        this.isWorking = false
      })
  }

  /** Writes summaries, one in each turn of the event loop. */
  private async work(isIdle: boolean): Promise<void> {
    const { writes } = this
    for (const summaries of this.kept()) {
      await summaries.opened()
      // The records of a container that was removed would stay on disk.
      while (!this.isClosed && this.has(summaries)) {
        const isDue = summaries.hasWork || (isIdle && this.writes === writes && summaries.hasUnsaved)
        if (!isDue) break
        summaries.saveNext()
        await systemClock.sleep(0)
      }
    }
  }

  private has(summaries: KeptSummaries): boolean {
    return this.containerOf(summaries.containerRid) !== undefined
  }

  private *kept(): Generator<KeptSummaries, void, undefined> {
    for (const container of [...this.written]) {
      const summaries = this.containerOf(container.rid) === container ? summariesOf(container) : null
      if (summaries === null) this.written.delete(container)
      else yield summaries
    }
  }

  private containerOf(rid: string): Container | undefined {
    for (const database of this.engine.databases) {
      const found = database.container(rid)
      if (found !== undefined) return found
    }
    return undefined
  }
}

function summariesOf(container: Container): KeptSummaries | null {
  return container.documentCount < fewestDocuments ? null : KeptSummaries.of(container)
}

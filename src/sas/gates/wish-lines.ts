import { setMaxListeners } from 'node:events'
import type { Clock, Timer } from '../../platform/index.js'
import { StoreUnavailable } from '../model/errors.js'
import type { Wish, WishResult } from './wishes.js'

/** The largest number of wishes in one write, each with at most one new waiter. */
const maxWishes = 50

/** The longest time for which the leave of a step waits for another wish. */
const lingerMs = 1_000

/** The largest number of leaves that wait. With them, the wish that comes next still fits into one write. */
const maxLingering = 20

/** The number of tries of a leave while the store does not answer. A supervisor frees a place only after a minute. */
const maxLeaveTries = 5

/** The same while the process stops, when no try waits for the one before. */
const maxTriesAtStop = 2

/** The pause before the second try of a leave. Each further pause is twice as long. */
const firstPauseMs = 1_000

interface Waiting {
  readonly wish: Wish
  readonly mayLinger: boolean
  readonly resolve: (result: WishResult) => void
  readonly reject: (error: unknown) => void
}

interface Line {
  readonly waiting: Waiting[]
  isServed: boolean
  timer: Timer | null
}

export interface WishLinesOptions {
  readonly clock: Clock
  /** Writes wishes for one gate together. */
  readonly write: (key: string, wishes: readonly Wish[]) => Promise<readonly WishResult[]>
  /** Checks whether, as far as this process knows, no step needs the place of one that leaves this gate. */
  readonly hasRoom: (key: string) => boolean
}

/**
 * The wishes that wait for a write of their gate, by key. A line is served until no wish waits. While it has only leaves
 * that may linger, and the gate has room, it rests: until the next wish, {@link lingerMs}, or `stop`. So a step that
 * leaves shares its write with one that comes.
 */
export class WishLines {
  private readonly lines = new Map<string, Line>()
  private readonly serving = new Set<Promise<void>>()
  private readonly leaving = new Set<Promise<void>>()
  private readonly stopping = new AbortController()

  constructor(private readonly options: WishLinesOptions) {
    // Every leave that waits for another try listens to this signal, so the number of listeners has no limit.
    setMaxListeners(0, this.stopping.signal)
  }

  wish(key: string, wish: Wish, mayLinger = false): Promise<WishResult> {
    return new Promise((resolve, reject) => {
      const line = this.lines.get(key) ?? { waiting: [], isServed: false, timer: null }
      this.lines.set(key, line)
      line.waiting.push({ wish, mayLinger, resolve, reject })
      if (line.isServed) return
      if (this.mayRest(key, line)) this.rest(key, line)
      else this.serve(key, line)
    })
  }

  /**
   * Lets a visitor leave that never comes to the gate again as the same visitor. The write may wait for another wish. If
   * the store does not answer, it is tried again later.
   */
  async leaveForGood(key: string, wish: Wish): Promise<void> {
    const left = this.tryToLeave(key, wish)
    // The caller receives the error.
    const settled = left
      .catch(() => undefined)
      .then(() => {
        this.leaving.delete(settled)
      })
    this.leaving.add(settled)
    await left
  }

  /** Writes what lingers or waits for another try, and lets no further leave wait. Resolves when no wish waits. */
  async stop(): Promise<void> {
    this.stopping.abort()
    for (const [key, line] of this.lines) if (!line.isServed) this.serve(key, line)
    while (!this.isIdle) await Promise.all([...this.serving, ...this.leaving])
  }

  /** Whether no wish waits and no leave is under way. */
  get isIdle(): boolean {
    return this.serving.size === 0 && this.leaving.size === 0
  }

  private async tryToLeave(key: string, wish: Wish): Promise<void> {
    const { clock } = this.options
    const { signal } = this.stopping
    for (let tries = 1; ; tries += 1) {
      try {
        await this.wish(key, wish, true)
        return
      } catch (error) {
        const mostTries = signal.aborted ? maxTriesAtStop : maxLeaveTries
        if (!(error instanceof StoreUnavailable) || tries >= mostTries) throw error
      }
      await clock.sleep(firstPauseMs * 2 ** (tries - 1), signal)
    }
  }

  private mayRest(key: string, { waiting }: Line): boolean {
    const doLinger = waiting.length <= maxLingering && waiting.every(({ mayLinger }) => mayLinger)
    return doLinger && !this.stopping.signal.aborted && this.options.hasRoom(key)
  }

  private rest(key: string, line: Line): void {
    line.timer ??= this.options.clock.schedule(lingerMs, () => this.serve(key, line))
  }

  private serve(key: string, line: Line): void {
    line.timer?.cancel()
    line.timer = null
    line.isServed = true
    const served = this.writeAll(key, line).then(() => {
      this.serving.delete(served)
    })
    this.serving.add(served)
  }

  /** Writes the wishes of a gate, group by group, until none waits or the line may rest. Never rejects. */
  private async writeAll(key: string, line: Line): Promise<void> {
    const { waiting } = line
    do {
      const group = waiting.splice(0, maxWishes)
      try {
        const wishes = group.map(({ wish }) => wish)
        const results = await this.options.write(key, wishes)
        for (const [index, { resolve }] of group.entries()) {
          const result = results[index]
          if (result !== undefined) resolve(result)
        }
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    } while (waiting.length > 0 && !this.mayRest(key, line))
    line.isServed = false
    if (waiting.length > 0) this.rest(key, line)
    else this.lines.delete(key)
  }
}

import type { Clock, Timer } from '../../platform/index.js'
import type { Wish, WishResult } from './wishes.js'

/** The largest number of wishes in one write, each with at most one new waiter. */
const maxWishes = 50

/** The longest time for which the leave of a step waits for another wish. */
const lingerMs = 1_000

/** The largest number of leaves that wait. With them, the wish that comes next still fits into one write. */
const maxLingering = 20

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
  private isStopped = false

  constructor(private readonly options: WishLinesOptions) {}

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

  /** Writes what lingers, and lets no further leave linger. Resolves when no wish waits. */
  async stop(): Promise<void> {
    this.isStopped = true
    for (const [key, line] of this.lines) if (!line.isServed) this.serve(key, line)
    while (this.serving.size > 0) await Promise.all(this.serving)
  }

  private mayRest(key: string, { waiting }: Line): boolean {
    const doLinger = waiting.length <= maxLingering && waiting.every(({ mayLinger }) => mayLinger)
    return doLinger && !this.isStopped && this.options.hasRoom(key)
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

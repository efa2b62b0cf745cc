/** Work that waits for one key while other work on it runs. */
interface Line {
  readonly urgent: (() => void)[]
  readonly others: (() => void)[]
}

/** Runs work on one key one after another, and work on different keys side by side (F-D15). */
export class SerialByKey {
  /** The keys on which work runs, each with the work that waits for it. */
  private readonly lines = new Map<string, Line>()

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.take(key, work, 'others')
  }

  /** Runs `work` before all waiting work on this key that is not urgent. */
  runSoon<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.take(key, work, 'urgent')
  }

  private async take<T>(key: string, work: () => Promise<T>, kind: keyof Line): Promise<T> {
    const line = this.lines.get(key)
    if (line === undefined) this.lines.set(key, { urgent: [], others: [] })
    else await new Promise<void>((resolve) => line[kind].push(resolve))
    try {
      return await work()
    } finally {
      this.leave(key)
    }
  }

  /** Gives the key to the next waiting work. */
  private leave(key: string): void {
    const line = this.lines.get(key)
    const next = line?.urgent.shift() ?? line?.others.shift()
    if (next === undefined) this.lines.delete(key)
    else next()
  }
}

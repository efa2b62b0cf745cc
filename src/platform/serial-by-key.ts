/** The waiting work of one key. */
interface KeyedWork {
  readonly urgent: (() => void)[]
  readonly others: (() => void)[]
}

/** Runs work on the same key in sequence, and work on different keys in parallel (F-D15). */
export class SerialByKey {
  /** The keys with running work, each with its waiting work. */
  private readonly lines = new Map<string, KeyedWork>()
  private whenIdle: (() => void)[] = []

  /** Whether no work is running or waits. */
  get isIdle(): boolean {
    return this.lines.size === 0
  }

  /** Resolves as soon as no work is running or waits. */
  async idle(): Promise<void> {
    if (!this.isIdle) await new Promise<void>((resolve) => this.whenIdle.push(resolve))
  }

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.take(key, work, 'others')
  }

  /** Runs `work` before all waiting work on this key that is not urgent. */
  runSoon<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.take(key, work, 'urgent')
  }

  private async take<T>(key: string, work: () => Promise<T>, kind: keyof KeyedWork): Promise<T> {
    const line = this.lines.get(key)
    if (line === undefined) this.lines.set(key, { urgent: [], others: [] })
    else await new Promise<void>((resolve) => line[kind].push(resolve))
    try {
      return await work()
    } finally {
      this.leave(key)
    }
  }

  /** Starts the next waiting work on the key. */
  private leave(key: string): void {
    const line = this.lines.get(key)
    const next = line?.urgent.shift() ?? line?.others.shift()
    if (next !== undefined) {
      next()
      return
    }
    this.lines.delete(key)
    if (this.isIdle) for (const resolve of this.whenIdle.splice(0)) resolve()
  }
}

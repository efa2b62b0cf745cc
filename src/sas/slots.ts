/** A bounded number of places for work; whoever finds them full waits in line. */
export class Slots {
  private taken = 0
  private readonly waiting: (() => void)[] = []

  constructor(private readonly count: number) {}

  /** Places in use. */
  get inUse(): number {
    return this.taken
  }

  /** Takes a place if one is free. */
  takeFree(): boolean {
    if (this.taken >= this.count) return false
    this.taken += 1
    return true
  }

  /** Resolves to true with a place, or to false when `signal` aborted first. */
  async take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false
    if (this.takeFree()) return true
    return new Promise((resolve) => {
      const offered = (): void => {
        signal.removeEventListener('abort', leave)
        resolve(true)
      }
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(offered), 1)
        resolve(false)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.waiting.push(offered)
    })
  }

  /** Gives a place back: to the first in line, if anybody waits. */
  release(): void {
    const next = this.waiting.shift()
    if (next === undefined) this.taken -= 1
    else next()
  }
}

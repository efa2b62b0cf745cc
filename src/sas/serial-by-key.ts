/** Runs work on one key one after another, and work on different keys side by side (F-D15). */
export class SerialByKey {
  private readonly tails = new Map<string, Promise<unknown>>()

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key) ?? Promise.resolve()
    const result = before.then(work, work)
    const tail = result.catch(() => undefined)
    this.tails.set(key, tail)
    return result.finally(() => {
      if (this.tails.get(key) === tail) this.tails.delete(key)
    })
  }
}

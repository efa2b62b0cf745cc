/** Makes the same choices for the same seed (mulberry32). */
export class Chance {
  private state: number

  constructor(seed: number) {
    this.state = (seed * 2_654_435_761) >>> 0
  }

  /** Returns a number in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns a whole number from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  of<T>(choices: readonly [T, ...T[]]): T {
    return choices[Math.floor(this.next() * choices.length)] ?? choices[0]
  }

  isLucky(share: number): boolean {
    return this.next() < share
  }

  /** Returns `count` of these. The numbers of times that two items are chosen differ by at most one. */
  some<T>(choices: readonly T[], count: number): T[] {
    const taken: T[] = []
    while (taken.length < count) {
      const left = [...choices]
      while (left.length > 0 && taken.length < count) {
        taken.push(...left.splice(Math.floor(this.next() * left.length), 1))
      }
    }
    return taken
  }
}

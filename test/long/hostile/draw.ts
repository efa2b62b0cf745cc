import { seededRandom, type Random } from '../../../src/platform/index.js'

/** The choices of one hostile request. The same seed and number give the same choices. */
export class Draw {
  private readonly random: Random

  constructor(seed: number, number: number) {
    this.random = seededRandom(Math.imul(seed, 0x9e3779b1) + number)
  }

  /** Returns a whole number from 0 to `limit - 1`. */
  below(limit: number): number {
    return Math.floor(this.random.next() * limit)
  }

  /** Returns true with a probability between 0 and 1. */
  chance(probability: number): boolean {
    return this.random.next() < probability
  }

  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0]
  }

  /** Returns one of the values, or `otherwise` if there are none. */
  pickOr<T>(values: readonly T[], otherwise: T): T {
    return values[this.below(values.length)] ?? otherwise
  }
}

import { randomUUID } from 'node:crypto'

/** The random numbers of a process. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number
  /** Returns a unique name of 8 to 36 characters from [0-9a-f-]. */
  id(): string
}

/** The machine's random numbers. */
export const systemRandom: Random = {
  next: () => Math.random(),
  id: () => randomUUID(),
}

/** Returns a source that gives the same numbers and ids for the same seed (mulberry32), for tests. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const word = (): string =>
    Math.floor(next() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  return { next, id: () => `${word()}-${word()}` }
}

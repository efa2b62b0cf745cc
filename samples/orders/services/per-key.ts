import { createHash } from 'node:crypto'
import { type Random, seededRandom } from 'stepward/testing'

/**
 * Returns random numbers that depend only on the seed and one name. One shared source would make every run
 * different, because requests arrive in a different order in every run.
 */
export function randomFor(seed: number, name: string): Random {
  return seededRandom(createHash('sha256').update(`${seed}\n${name}`).digest().readUInt32BE())
}

/** Returns the id of the result of a request. The same key gives the same id in every run. */
export function idFor(kind: string, key: string): string {
  return `${kind}-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`
}

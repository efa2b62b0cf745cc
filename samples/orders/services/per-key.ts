import { createHash } from 'node:crypto'
import { type Random, seededRandom } from 'stepward/testing'

/**
 * Returns random numbers that depend only on the seed and the name, whatever the order in which requests
 * arrive.
 */
export function randomFor(seed: number, name: string): Random {
  return seededRandom(createHash('sha256').update(`${seed}\n${name}`).digest().readUInt32BE())
}

/** Returns the same id for the same key in every run. */
export function idFor(kind: string, key: string): string {
  return `${kind}-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`
}

import { createHash } from 'node:crypto'
import type { Random } from 'stepward'
import { seededRandom } from 'stepward/testing'

/**
 * Chance that depends on the seed and on one name only. Requests arrive in another order in every run; drawing from one
 * shared source would make each run different, drawing per name does not.
 */
export function randomFor(seed: number, name: string): Random {
  return seededRandom(createHash('sha256').update(`${seed}\n${name}`).digest().readUInt32BE())
}

/** The id of what a request made: the same key makes the same id in every run. */
export function idFor(kind: string, key: string): string {
  return `${kind}-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`
}

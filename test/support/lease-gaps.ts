import type { Processes } from '../../src/platform/internal.js'
import type { ProcessorWorld } from './processor-world.js'

/** Returns the processes of one machine as the process `own` sees them. `ended` are those that have ended. */
export function seenBy(own: string, ended: ReadonlySet<string> = new Set()): Processes {
  const isNeighbour = (identity: string): boolean => identity !== own && identity.startsWith('machine.')
  return { own, isNeighbour, hasEnded: (identity) => isNeighbour(identity) && ended.has(identity) }
}

/** Lets time pass, and returns the longest time in seconds for which a lease had no owner. */
export async function longestGap(
  world: ProcessorWorld,
  { seconds }: { readonly seconds: number },
): Promise<number> {
  const gaps = new Map<string, number>()
  let longest = 0
  for (let half = 0; half < 2 * seconds; half += 1) {
    await world.clock.advance(500)
    for (const [token, owner] of Object.entries(await world.owners())) {
      const gap = owner === null ? (gaps.get(token) ?? 0) + 0.5 : 0
      gaps.set(token, gap)
      longest = Math.max(longest, gap)
    }
  }
  return longest
}

import type { FeedRange } from '../../lease-store/index.js'
import type { AgentsKnown, KnownPosition } from '../../src/sas/waiting/agents-position.js'

/** The range of a container, and one that does not begin it. */
export const wholeRange: FeedRange = { min: '', max: 'FF' }
export const laterRange: FeedRange = { min: '80', max: 'FF' }

/** A position with these lines, by agent. Default: nothing waits, and an instance reads the range. */
export function aPosition(
  begunUntilMs: number,
  lines: Readonly<Record<string, number>> = {},
  isAway = false,
): KnownPosition {
  return { begunUntilMs, lines: new Map(Object.entries(lines)), isAway }
}

/** Agents of other processes with these positions. */
export function agentsAt(...positions: readonly KnownPosition[]): AgentsKnown {
  return { positions, hasBegun: () => false, start: () => false }
}

/** What agents say in an offer while no step waits for them. */
export const nothingWaits = {
  feedRange: wholeRange,
  position: () => aPosition(Infinity),
  hasBegun: () => false,
  /** Each step gets a document at once. */
  maker: { by: 'one' },
  promise: () => false,
  withdraw: () => undefined,
}

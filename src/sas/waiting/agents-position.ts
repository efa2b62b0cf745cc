import type { StepDocument } from '../model/documents.js'
import { workOf } from '../model/work.js'

/**
 * How far the agents of one feed range have come. All times are in milliseconds since the epoch by the store's clock. A
 * position stays true, however old it is, because no begun attempt becomes one that has not begun.
 */
export interface AgentsPosition {
  /** The attempts of all steps that were dispatched before this time have begun, except those in `lines`. */
  readonly begunUntilMs: number
  /** For each agent whose steps wait for a slot: the time of the oldest dispatch of these steps. */
  readonly lines: ReadonlyMap<string, number>
}

/** The position as the supervisor knows it. */
export interface KnownPosition extends AgentsPosition {
  /** The store's time of the report, or infinity if the agents of this process have just said it. */
  readonly saidAtMs: number
  /** Whether no instance of the role agents has read the range for so long that another one should have taken it over. */
  readonly isAway: boolean
}

/** What the supervisor knows about the agents that may have begun an attempt. */
export interface AgentsKnown {
  /** The positions of all ranges that may contain the step. */
  readonly positions: readonly KnownPosition[]
  /** Checks whether the agents of this process have begun the attempt. */
  readonly hasBegun: (step: StepDocument) => boolean
}

/**
 * - `begun`: an attempt has begun, or no agents report that they may not have come to it.
 * - `waiting`: the step waits for a slot, or agents will soon come to it.
 * - `unread`: no agents will soon come to the step, because no instance reads its range, or because the line of other agents
 *   holds up the feed.
 */
export type AttemptStanding = 'begun' | 'waiting' | 'unread'

/** A document as it was read. `_ts` is the store's time of its last write in seconds, or missing if it is unknown. */
interface Dated {
  readonly _ts?: number
}

/** A report that is not this much newer than a dispatch may not know it yet. */
const newsAfterMs = 3_000

/** Says whether the attempt of a dispatched step without a claim has begun. */
export function standingOf(step: StepDocument & Dated, agents: AgentsKnown): AttemptStanding {
  if (agents.hasBegun(step)) return 'begun'
  const { actor } = workOf(step)
  const all = agents.positions.map((position) => standingAt(position, actor, dispatchedMs(step)))
  if (all.includes('waiting')) return 'waiting'
  return all.includes('unread') ? 'unread' : 'begun'
}

function standingAt(
  { begunUntilMs, lines, saidAtMs, isAway }: KnownPosition,
  actor: string,
  dispatchedAtMs: number,
): AttemptStanding {
  const isInLine = dispatchedAtMs >= (lines.get(actor) ?? Infinity)
  if (!isInLine && dispatchedAtMs < begunUntilMs) return 'begun'
  const isHeldUp = !isInLine && lines.size > 0 && saidAtMs > dispatchedAtMs + newsAfterMs
  return isAway || isHeldUp ? 'unread' : 'waiting'
}

/** Checks whether an owner has not read its range yet, so that its position soon changes. */
export function isBeginning({ positions }: AgentsKnown): boolean {
  return positions.some(({ begunUntilMs, isAway }) => begunUntilMs === 0 && !isAway)
}

function dispatchedMs({ _ts = 0 }: Dated): number {
  return _ts * 1_000
}

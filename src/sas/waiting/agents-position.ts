import type { StepDocument } from '../model/documents.js'
import { workOf } from '../model/work.js'

/**
 * How far the agents of one feed range have come. All times are in milliseconds since the epoch by the store's clock. A
 * position stays true, however old it is, because an attempt that has begun stays begun.
 */
export interface AgentsPosition {
  /** The attempts of all steps that were dispatched before this time have begun, except those in `lines`. */
  readonly begunUntilMs: number
  /** For each agent whose steps wait for a slot: the time of the oldest dispatch of these steps. */
  readonly lines: ReadonlyMap<string, number>
}

/** The position as the supervisor knows it. */
export interface KnownPosition extends AgentsPosition {
  /** Whether no instance of the role agents has read the range for so long that another one should have taken it over. */
  readonly isAway: boolean
}

/** What the supervisor knows about the agents that may have begun an attempt. */
export interface AgentsKnown {
  /** The positions of all ranges that may contain the step. */
  readonly positions: readonly KnownPosition[]
  /** Checks whether the agents of this process have begun the attempt. */
  readonly hasBegun: (step: StepDocument) => boolean
  /**
   * Lets the agents of this process begin a waiting step beyond their feed, if they have a free slot. Returns whether they do
   * so. This is needed because the line of one agent holds up the feed, and so the steps of other agents.
   */
  readonly start: (step: StepDocument & { readonly _etag: string; readonly _ts: number }) => boolean
}

/**
 * - `begun`: the attempt has begun, or counts as begun because no known position says otherwise.
 * - `waiting`: the step waits for a slot, or agents will soon come to it.
 * - `unread`: no agents will soon come to the step, because no instance reads its range.
 */
export type AttemptStanding = 'begun' | 'waiting' | 'unread'

/** A document as it was read. `_ts` is the store's time of its last write in seconds, or missing if it is unknown. */
interface Dated {
  readonly _ts?: number
}

/** Says whether the attempt of a dispatched step without a claim has begun. */
export function standingOf(step: StepDocument & Dated, agents: AgentsKnown): AttemptStanding {
  if (agents.hasBegun(step)) return 'begun'
  const { actor } = workOf(step)
  const all = agents.positions.map((position) => standingAt(position, actor, dispatchedMs(step)))
  if (all.includes('waiting')) return 'waiting'
  return all.includes('unread') ? 'unread' : 'begun'
}

function standingAt(
  { begunUntilMs, lines, isAway }: KnownPosition,
  actor: string,
  dispatchedAtMs: number,
): AttemptStanding {
  const isInLine = dispatchedAtMs >= (lines.get(actor) ?? Infinity)
  if (!isInLine && dispatchedAtMs < begunUntilMs) return 'begun'
  return isAway ? 'unread' : 'waiting'
}

/** Checks whether an owner has not read its range yet, so that its position soon changes. */
export function isBeginning({ positions }: AgentsKnown): boolean {
  return positions.some(({ begunUntilMs, isAway }) => begunUntilMs === 0 && !isAway)
}

function dispatchedMs({ _ts = 0 }: Dated): number {
  return _ts * 1_000
}

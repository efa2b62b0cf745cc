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
  /** Whether no instance of the role agents has read the range for so long that it needs an operator. */
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
 * - `waiting`: agents may not have come to the step yet.
 * - `away`: the same, but no instance reads the range of the step.
 */
export type AttemptStanding = 'begun' | 'waiting' | 'away'

/** A document as it was read. `_ts` is the store's time of its last write in seconds, or missing if it is unknown. */
interface Dated {
  readonly _ts?: number
}

/** Says whether the attempt of a dispatched step without a claim has begun. */
export function standingOf(step: StepDocument & Dated, agents: AgentsKnown): AttemptStanding {
  const { actor } = workOf(step)
  const ahead = agents.positions.filter(
    ({ begunUntilMs, lines }) => dispatchedMs(step) >= Math.min(begunUntilMs, lines.get(actor) ?? Infinity),
  )
  if (ahead.length === 0 || agents.hasBegun(step)) return 'begun'
  return ahead.every(({ isAway }) => isAway) ? 'away' : 'waiting'
}

/** Checks whether a step that was dispatched with this version of its job may still wait for agents. */
export function mayHaveWaitingSteps(job: Dated, { positions }: AgentsKnown): boolean {
  return positions.some(
    ({ begunUntilMs, lines }) => dispatchedMs(job) >= Math.min(begunUntilMs, ...lines.values()),
  )
}

function dispatchedMs({ _ts = 0 }: Dated): number {
  return _ts * 1_000
}

import type { FeedRange, Lease, LeaseStore } from '../../lease-store/index.js'
import { overlap } from '../../lease-store/internal.js'
import type { Clock } from '../platform/index.js'
import { withinLimit } from '../platform/internal.js'
import { readAgentsReport } from './agents/agents-report.js'
import type { KnownPosition } from './waiting/agents-position.js'
import type { InProcessPath } from './in-process/in-process-path.js'
import type { AskAgents } from './supervisor/look.js'

export interface AskAgentsOptions {
  readonly clock: Clock
  readonly inProcessPath?: InProcessPath
  /** The leases of the agents. In these leases, agents of other processes report how far they have come. */
  readonly agentsLeases: LeaseStore
  /** If a lease was not written for this time, no instance reads its range. */
  readonly leaseExpirationMs: number
}

/** The time for which an answer of the leases counts, so that many overdue steps cost one request. */
const answerCountsMs = 5_000
/** The longest wait for an answer. */
const answerWithinMs = 10_000

interface RangePosition extends KnownPosition {
  readonly leaseToken: string
  readonly feedRange: FeedRange
}

/** The position of all ranges if the leases could never be read: every step may wait. */
const unknown: RangePosition = {
  leaseToken: '',
  feedRange: { min: '', max: 'FF' },
  begunUntilMs: 0,
  lines: new Map(),
  isAway: false,
}

/**
 * Returns a function that asks the agents of all processes how far they have come. A report in a lease is as old as the last
 * write of the lease. If the leases cannot be read, the previous answer counts.
 */
export function askAgents(options: AskAgentsOptions): AskAgents {
  const { clock, inProcessPath, agentsLeases, leaseExpirationMs } = options
  let known: readonly RangePosition[] = [unknown]
  let asked: { readonly atMs: number; readonly answer: Promise<void> } | null = null

  const readLeases = async (): Promise<void> => {
    const { leases, storeTimeMs } = await agentsLeases.list()
    const nowMs = storeTimeMs ?? clock.now()
    known = leases.map((lease) => positionIn(lease, nowMs - lease.storedAtMs >= leaseExpirationMs))
  }

  return async (range) => {
    const nowMs = clock.monotonic()
    if (asked === null || nowMs - asked.atMs > answerCountsMs) {
      const answer = withinLimit(clock, answerWithinMs, readLeases(), () => undefined)
      asked = { atMs: nowMs, answer: answer.catch(() => undefined) }
    }
    await asked.answer
    const here = inProcessPath?.agents
    const isAsked = ({ feedRange }: { readonly feedRange: FeedRange }): boolean =>
      range === null || overlap(range, feedRange)
    const isElsewhere = ({ leaseToken }: RangePosition): boolean => here?.at(leaseToken) === undefined
    const elsewhere = known.filter((position) => isElsewhere(position) && isAsked(position))
    const offers = (here?.all() ?? []).filter(isAsked)
    const [only, ...others] = [...offers, ...elsewhere]
    return {
      positions: [...offers.map((offer) => ({ ...offer.position(), isAway: false })), ...elsewhere],
      hasBegun: (step) => offers.some((offer) => offer.hasBegun(step)),
      // Only the owner of the range of the step may start it.
      start: (step) => only !== undefined && 'start' in only && others.length === 0 && only.start(step),
    }
  }
}

/**
 * Returns the position that a lease reports. An owner that reports none is an older version or another SDK, so all attempts in
 * its range count as begun. In a free range without a report, every step may wait for the next owner. When that owner is
 * overdue, all attempts in the range count as begun.
 */
function positionIn({ leaseToken, feedRange, owner, report }: Lease, isAway: boolean): RangePosition {
  const position = readAgentsReport(report)?.position ?? null
  const begunUntilMs = position?.begunUntilMs ?? (owner === null && !isAway ? 0 : Infinity)
  return { leaseToken, feedRange, begunUntilMs, lines: position?.lines ?? new Map(), isAway }
}

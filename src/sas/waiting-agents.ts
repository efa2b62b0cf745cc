import type { LeaseStore } from '../../lease-store/index.js'
import type { Clock } from '../platform/index.js'
import { readAgentsReport } from './agents/agents-report.js'
import type { InProcessPath } from './in-process/in-process-path.js'
import type { WaitingSince } from './supervisor/step-recovery.js'

export interface WaitingAgentsOptions {
  readonly instanceName: string
  readonly clock: Clock
  readonly inProcessPath?: InProcessPath
  /** The leases of the agents. In these leases, agents of other processes report since when steps wait. */
  readonly agentsLeases: LeaseStore
  /** If a lease was not written for this time, its report does not count, because its owner may have died. */
  readonly leaseExpirationMs: number
}

/** The time for which an answer of the leases counts, so that many overdue steps cost one request. */
const answerCountsMs = 5_000

/**
 * Returns a function that returns since when steps wait for the agents of all processes. The report in a lease is as old as
 * the last write of the lease. If the leases cannot be read, only the agents of this process count.
 */
export function waitingAgents(options: WaitingAgentsOptions): WaitingSince {
  const { instanceName, clock, inProcessPath, agentsLeases, leaseExpirationMs } = options
  let elsewhere: { readonly atMs: number; readonly answer: Promise<number> } | null = null

  const askElsewhere = async (): Promise<number> => {
    const { leases, storeTimeMs } = await agentsLeases.list()
    const nowMs = storeTimeMs ?? clock.now()
    const others = leases.filter(
      ({ owner, storedAtMs }) =>
        owner !== null && owner !== instanceName && nowMs - storedAtMs < leaseExpirationMs,
    )
    return Math.min(...others.map(({ report }) => readAgentsReport(report)?.waitingSinceMs ?? Infinity))
  }

  return async () => {
    const here = (inProcessPath?.agents.all() ?? []).map((offer) => offer.waitingSinceMs() ?? Infinity)
    const nowMs = clock.monotonic()
    if (elsewhere === null || nowMs - elsewhere.atMs > answerCountsMs)
      elsewhere = { atMs: nowMs, answer: askElsewhere().catch(() => Infinity) }
    const sinceMs = Math.min(...here, await elsewhere.answer)
    return sinceMs === Infinity ? null : sinceMs
  }
}

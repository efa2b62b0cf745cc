import type { LeaseStore } from '../../lease-store/index.js'
import type { Clock } from '../platform/index.js'
import { readAgentsReport } from './agents/agents-report.js'
import type { InProcessPath } from './in-process/in-process-path.js'
import type { WaitingSince } from './supervisor/step-recovery.js'

export interface WaitingAgentsOptions {
  readonly instanceName: string
  readonly clock: Clock
  readonly inProcessPath?: InProcessPath
  /** The leases of the agents, in which those of other processes say since when steps wait. */
  readonly agentsLeases: LeaseStore
  /** A lease that is older than this says nothing, because its owner may have died. */
  readonly leaseExpirationMs: number
}

/** The time for which an answer from the leases counts, so that many overdue steps cost one request. */
const answerCountsMs = 5_000

/**
 * Returns a function that tells since when steps wait for agents, of this process and of others. The leases say what was true
 * at their last renewal. If the leases cannot be read, only this process counts.
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

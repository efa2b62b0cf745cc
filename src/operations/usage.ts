import { processorNameOf, roles } from '../connection/internal.js'
import type { JobClient } from '../sas/index.js'
import { readThroughput } from './cosmos-throughput.js'
import { looking, type Looked, type UnitSelection } from './unit-selection.js'
import { usageReport, type UsageReport } from './usage-report.js'

const hourMs = 3_600_000
/** The largest number of jobs that are read. Each of them is a document. */
export const mostUsageJobs = 1_000

/** Which time the report is about, and what the store does not tell. */
export interface UsageQuestion {
  readonly hours: number
  /** The mean size of a stored job or step, in kilobytes. */
  readonly documentKilobytes: number
  /** The provisioned throughput, in request units per second. Default: what the store tells. */
  readonly provisioned?: number | undefined
  readonly nowMs: number
}

/**
 * Reads the newest jobs, the leases and the provisioned throughput, and computes what jobs, roles and feeds use. No
 * charge is measured: the processes of the roles may be elsewhere.
 *
 * @throws StoreUnavailable or StoreRefused, each with advice
 */
export async function readUsage(
  client: Pick<JobClient, 'list'>,
  selection: UnitSelection & { readonly unitPrefix?: string },
  { hours, documentKilobytes, provisioned, nowMs }: UsageQuestion,
): Promise<UsageReport> {
  const sinceMs = nowMs - hours * hourMs
  const [jobs, { instances, throughput }] = await Promise.all([
    client.list({ since: new Date(sinceMs), limit: mostUsageJobs + 1 }),
    looking(selection, async (looked) => ({
      instances: instancesOf(looked, selection.unitPrefix),
      throughput:
        provisioned === undefined
          ? await readThroughput(looked.containers.monitoredContainer)
          : { requestUnits: provisioned, kind: 'given' as const, of: null, reason: null },
    })),
  ])
  return usageReport({
    jobs: jobs.slice(0, mostUsageJobs),
    isCut: jobs.length > mostUsageJobs,
    sinceMs,
    nowMs,
    question: { documentKilobytes, indexing: 'lean', ...instances },
    throughput,
  })
}

/** Returns what the leases show about the instances of the roles. */
function instancesOf({ inspection }: Looked, unitPrefix?: string) {
  const owners = new Map(
    roles.map((role) => {
      const name = processorNameOf(role, unitPrefix)
      const unit = inspection.units.find(({ processorName }) => processorName === name)
      return [role, new Set(unit?.leases.flatMap(({ owner }) => owner ?? []) ?? [])] as const
    }),
  )
  const all = [...owners.values()].filter(({ size }) => size > 0)
  const different = new Set(all.flatMap((each) => [...each]))
  return {
    // Roles are together if each of them has every instance.
    isTogether: all.every(({ size }) => size === different.size),
    instances: Math.max(1, ...all.map(({ size }) => size)),
    partitions: Math.max(1, inspection.physicalRanges?.length ?? 1),
    hasNotifier: (owners.get('notifier')?.size ?? 0) > 0,
  }
}

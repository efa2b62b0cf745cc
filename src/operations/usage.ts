import { processorNameOf, roles } from '../connection/internal.js'
import type { StorePorts } from '../connection/internal.js'
import { JobUnreadable, type JobClient, type JobSummary } from '../sas/index.js'
import { jobDocumentId, readJobShape, type JobShape } from '../sas/internal.js'
import { readThroughput, type Throughput } from './cosmos-throughput.js'
import { looking, type Looked, type UnitSelection } from './unit-selection.js'
import { usageReport, type UsageReport } from './usage-report.js'

const hourMs = 3_600_000
/** The largest number of jobs that are read. Each of them is a document. */
export const mostUsageJobs = 1_000
/** The largest number of workflows of which a job is read with its steps. */
const mostShapes = 50

/** Which time the report is about, and what the store does not tell. */
export interface UsageQuestion {
  readonly hours: number
  /** The mean size of a stored job or step, in kilobytes. */
  readonly documentKilobytes: number
  /** The provisioned throughput, in request units per second. Default: what the store tells. */
  readonly provisioned?: number | undefined
  readonly nowMs: number
}

/** The client and the port through which the jobs are read. */
export interface UsageStore {
  readonly client: Pick<JobClient, 'list'>
  readonly state: StorePorts['state']
}

/**
 * Reads the newest jobs, the leases and the provisioned throughput, and computes what jobs, roles and feeds use. It
 * reads the steps of one job of each workflow, because a job does not tell their limits, claims and rounds. No charge is measured: the processes of the roles may be elsewhere.
 *
 * @throws StoreUnavailable or StoreRefused, each with advice
 */
export async function readUsage(
  { client, state }: UsageStore,
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
          ? await throughputOf(selection, looked)
          : { requestUnits: provisioned, kind: 'given' as const, of: null, reason: null },
    })),
  ])
  const read = jobs.slice(0, mostUsageJobs)
  return usageReport({
    jobs: read,
    shapes: await shapesOf(read, state),
    isCut: jobs.length > mostUsageJobs,
    sinceMs,
    nowMs,
    question: { documentKilobytes, indexing: 'lean', ...instances },
    throughput,
  })
}

/** An embedded store has a throughput as the service has one, but does not limit its roles to it. */
async function throughputOf({ embedded }: UnitSelection, { containers }: Looked): Promise<Throughput> {
  if (embedded === undefined) return readThroughput(containers.monitoredContainer)
  const reason = 'the embedded store limits no throughput'
  return { requestUnits: null, kind: 'unknown', of: null, reason }
}

/** Reads the newest job of each workflow that has succeeded, or else the newest that has ended. */
async function shapesOf(
  jobs: readonly JobSummary[],
  state: StorePorts['state'],
): Promise<ReadonlyMap<string, JobShape>> {
  const newest = new Map<string, JobSummary>()
  for (const job of jobs.filter(({ endedAt }) => endedAt !== null)) {
    const known = newest.get(job.workflow)
    if (known !== undefined && (known.state === 'Processed' || job.state !== 'Processed')) continue
    newest.set(job.workflow, job)
  }
  const read = [...newest.values()]
    .slice(0, mostShapes)
    .map(async ({ workflow, jobId, partitionKey: pk }) => {
      const shape = await readJobShape(state, { pk, id: jobDocumentId(jobId) }).catch((error: unknown) => {
        // The job is in the list all the same. Its steps count as plain steps.
        if (error instanceof JobUnreadable) return null
        throw error
      })
      return shape === null ? [] : [[workflow, shape] as const]
    })
  return new Map((await Promise.all(read)).flat())
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

import type { Inspection } from '../change-feed-processor/internal.js'
import { expired, type FeedRange, type Lease } from '../../lease-store/index.js'
import { counted } from '../platform/internal.js'
import type { JobView } from '../sas/index.js'
import { CosmosJobQueries, itemsOperation, jobDocumentId, rangeIdIn } from '../sas/internal.js'
import type { Role } from '../connection/index.js'
import { processorNameOf } from '../connection/internal.js'
import { type HostFinding, type Looked, type UnitSelection, expirationOf, looking } from './unit-selection.js'

/** Jobs that have not ended, and the roles that they need but that do not run. */
export interface StandingWork {
  readonly waiting: number
  readonly missing: readonly Role[]
  readonly command: string
}

/** The roles without which no job can end. */
const needed: readonly Role[] = ['scheduler', 'agents', 'supervisor']

/**
 * Returns the jobs that have not ended, if a role that they need does not run. Otherwise returns null.
 *
 * @throws StoreUnavailable or StoreRefused, each with advice
 */
export function standingWork(selection: UnitSelection): Promise<StandingWork | null> {
  return looking(selection, (looked) => standingIn(looked, selection))
}

/** The reasons outside a job for which it makes no progress. Each is a sentence, or null. */
export interface Standstill {
  /** The roles that do not run although jobs need them. */
  readonly nothingRuns: string | null
  /** The roles in which no instance reads the feed range of the job, or the agents that no such instance has. */
  readonly unread: string | null
}

/**
 * Finds the reasons, outside the documents of a job, for which the job makes no progress.
 *
 * @throws StoreUnavailable or StoreRefused, each with advice
 */
export function standstillOf(job: JobView, selection: UnitSelection): Promise<Standstill> {
  return looking(selection, async (looked) => {
    const standing = await standingIn(looked, selection)
    const range = await rangeOf(job, looked)
    const found = { ...looked.inspection, expirationMs: expirationOf(selection) }
    return {
      nothingRuns: standing && standingSentence(standing),
      unread: range === null ? null : unreadText(job, range, found),
    }
  })
}

/** Describes standing work in a sentence, with the command that starts the roles. */
export function standingSentence(standing: StandingWork): string {
  return `${standingText(standing)}; start them: ${standing.command}`
}

/** Returns the range of the physical partition of a job, or null if it is unknown. */
async function rangeOf(
  { jobId, partitionKey }: JobView,
  { inspection, containers }: Looked,
): Promise<FeedRange | null> {
  const { physicalRanges } = inspection
  if (physicalRanges === null || physicalRanges.length < 2) return physicalRanges?.[0] ?? null
  const { headers } = await containers.monitoredContainer.item(jobDocumentId(jobId), partitionKey).read()
  const id = rangeIdIn(headers)
  return physicalRanges.find((range) => range.id === id) ?? null
}

type Found = Pick<Inspection, 'units' | 'storeTimeMs'> & { readonly expirationMs: number }

/** Describes what no instance does for the range of a job, or returns null. */
export function unreadText(job: JobView, range: FeedRange, found: Found): string | null {
  const isAtWork = job.steps.some(({ state, actor }) => {
    return actor !== '' && (state === 'Processing' || state === 'Compensating')
  })
  const roles = needed.filter((role) => role !== 'agents' || isAtWork)
  const looks = roles.map((role) => ({ role, ...leasesAt(role, range, found) }))
  const unread = looks.filter(({ parts, read }) => read.length === 0 || read.length < parts)
  const [first] = unread
  if (first !== undefined) {
    const names = unread.map(({ role }) => role).join(' and ')
    const which = `in the role${unread.length === 1 ? '' : 's'} ${names}`
    const isPart = unread.every(({ read }) => read.length > 0)
    const what = isPart ? `${first.parts - first.read.length} of ${first.parts} parts of ` : ''
    return `No instance ${which} reads ${what}the feed range of this job; "stepward leases" shows the owners.`
  }
  const agents = looks.find(({ role }) => role === 'agents')
  return agents === undefined ? null : missingAgentsText(job, agents.living)
}

/** The agent of the steps of large lists, which every instance has. Steps that only wait have the agent `''`. */
const ownActor = itemsOperation.actor

/** Names the agents of steps at work that no owner has, if every owner says which agents it has. */
function missingAgentsText({ steps }: JobView, owned: readonly Lease[]): string | null {
  const known = new Set(owned.flatMap(({ serves }) => serves ?? []))
  const actors = new Set(steps.flatMap(({ state, actor }) => (state === 'Processing' ? [actor] : [])))
  const missing = [...actors].filter((actor) => !known.has(actor) && actor !== '' && actor !== ownActor)
  if (missing.length === 0 || owned.some(({ serves }) => serves === null)) return null
  const names = missing.slice(0, 3).join(', ')
  const which = `agent${missing.length === 1 ? '' : 's'} ${names}`
  return `No instance that reads the feed range of this job has ${which}: start one whose module exports it.`
}

/** Returns the number of leases of a role in a range, and those with a living owner. */
function leasesAt(role: Role, range: FeedRange, { units, storeTimeMs, expirationMs }: Found) {
  const own = units
    .filter(({ processorName }) => processorName?.endsWith(processorNameOf(role, '')) === true)
    .map(({ leases }) => {
      const silent = storeTimeMs === null ? new Set<string>() : expired(leases, storeTimeMs, expirationMs)
      const here = leases.filter(({ feedRange: { min, max } }) => min < range.max && range.min < max)
      return {
        parts: here.length,
        read: here.filter((lease) => lease.owner !== null && !silent.has(lease.leaseToken)),
      }
    })
  // Several units may drive the jobs of a container. One that reads the whole range is enough.
  const whole = own.find(({ parts, read }) => parts > 0 && read.length === parts)
  const best = whole ?? own.find(({ read }) => read.length > 0) ?? { parts: 0, read: [] }
  return { ...best, living: own.flatMap(({ read }) => read) }
}

export async function standingIn(
  { inspection, containers }: Looked,
  selection: UnitSelection,
): Promise<StandingWork | null> {
  if (inspection.physicalRanges === null) return null
  const missing = needed.filter((role) => !isRun(role, inspection, expirationOf(selection)))
  if (missing.length === 0) return null
  const counts = await new CosmosJobQueries({ container: containers.monitoredContainer }).countJobs()
  const waiting = counts.Pending + counts.Processing + counts.Compensating
  return waiting === 0 ? null : { waiting, missing, command: startCommand(missing, selection) }
}

/**
 * Checks whether an instance runs this role, under any unit prefix: whether it owns a lease that has not
 * expired.
 */
function isRun(role: Role, { units, storeTimeMs }: Inspection, expirationMs: number): boolean {
  return units.some(({ processorName, leases }) => {
    const silent = storeTimeMs === null ? new Set<string>() : expired(leases, storeTimeMs, expirationMs)
    const isRoles = processorName?.endsWith(processorNameOf(role, '')) === true
    return isRoles && leases.some(({ owner, leaseToken }) => owner !== null && !silent.has(leaseToken))
  })
}

/** Describes standing work in a sentence. */
export function standingText({ waiting, missing }: StandingWork): string {
  const jobs = counted(waiting, 'job has', 'jobs have')
  return (
    `${jobs} not ended, and no instance runs ${missing.length === 1 ? 'the role' : 'the roles'} ` +
    missing.join(', ')
  )
}

/**
 * Returns the command that starts these roles, with a placeholder for the agents' module if none is
 * configured.
 */
function startCommand(missing: readonly Role[], { module }: UnitSelection): string {
  const roles = missing.length === needed.length ? 'all' : missing.join(' ')
  const agents = missing.includes('agents') && module === undefined ? ' --agents MODULE' : ''
  return `stepward start --role ${roles}${agents}`
}

export function standingFindings(standing: StandingWork | null): readonly HostFinding[] {
  if (standing === null) return []
  return [
    {
      rule: 'nothingRuns',
      severity: 'problem',
      processorName: null,
      observation: standingText(standing),
      advice: `start them: ${standing.command}`,
    },
  ]
}

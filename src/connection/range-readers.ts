import { inspect, type Inspection } from '../change-feed-processor/internal.js'
import { expired, type FeedRange, type Lease } from '../../lease-store/index.js'
import type { Clock, Duration } from '../platform/index.js'
import { durationMs, machineProcesses, type Processes } from '../platform/internal.js'
import type { JobView } from '../sas/index.js'
import { itemsOperation, jobDocumentId, rangeIdIn } from '../sas/internal.js'
import type { Containers } from './containers.js'
import { neededRoles, processorNameOf, type Role } from './role.js'

/** The timing of the hosts, as far as it decides whether a lease has expired. */
export interface LeaseTiming {
  /** Default: 1 minute. */
  readonly leaseExpirationInterval?: Duration
}

const defaultExpirationMs = 60_000

/** Returns the time in milliseconds after which a lease without a renewal expires. */
export function leaseExpirationMs(timing: LeaseTiming = {}): number {
  return durationMs(timing.leaseExpirationInterval ?? defaultExpirationMs) ?? defaultExpirationMs
}

/** The time by which leases are judged. */
export interface Judging {
  /** The time of the store, or null if it is unknown. */
  readonly storeTimeMs: number | null
  readonly expirationMs: number
  readonly processes?: Pick<Processes, 'hasEnded'>
}

/**
 * Returns the tokens of owned leases whose owner is silent for too long, or whose owner's process ran on this machine and
 * has certainly ended. A killed process releases nothing itself, so its leases name it until they expire.
 */
export function ownerless(
  leases: readonly Lease[],
  { storeTimeMs, expirationMs, processes = machineProcesses }: Judging,
): ReadonlySet<string> {
  const silent = storeTimeMs === null ? new Set<string>() : expired(leases, storeTimeMs, expirationMs)
  const dead = leases.filter(
    ({ owner, process }) => owner !== null && process !== null && processes.hasEnded(process),
  )
  return new Set([...silent, ...dead.map(({ leaseToken }) => leaseToken)])
}

/** A job, with what its steps say about the agents that they need. */
export type WaitingJob = Pick<JobView, 'jobId' | 'partitionKey' | 'endedAt'> & {
  readonly steps: readonly WaitingStep[]
}

type WaitingStep = Pick<
  JobView['steps'][number],
  'state' | 'agent' | 'attention' | 'failureCount' | 'diagnostics'
>

/**
 * Returns a function that says in a sentence which roles do not read the feed range of a job. If all of them do, it
 * says which agents of the job no instance has there. It returns null if nothing is missing, or if the leases cannot
 * be read.
 */
export function rangeReaders(
  { state, leases }: Pick<Containers, 'state' | 'leases'>,
  { clock, timing }: { readonly clock: Clock; readonly timing: LeaseTiming | undefined },
): (job: WaitingJob) => Promise<string | null> {
  const expirationMs = leaseExpirationMs(timing)
  const look = async (job: WaitingJob): Promise<string | null> => {
    // A job that has failed for another reason costs no request.
    if (job.endedAt !== null && !job.steps.some(needsAgent)) return null
    const options = { monitoredContainer: state, leaseContainer: leases, now: () => clock.now() }
    const inspection = await inspect(options)
    // Leases that may not be read say nothing about their owners.
    if (inspection.obstacles.length > 0) return null
    const range = await rangeOf(job, inspection, state)
    return range === null ? null : unreadText(job, range, { ...inspection, expirationMs })
  }
  // If the leases cannot be read, the reason in the documents of the job is still true.
  return (job) => look(job).catch(() => null)
}

/** Returns the range of the physical partition of a job, or null if it is unknown. */
async function rangeOf(
  { jobId, partitionKey }: WaitingJob,
  { physicalRanges }: Inspection,
  state: Containers['state'],
): Promise<FeedRange | null> {
  if (physicalRanges === null || physicalRanges.length < 2) return physicalRanges?.[0] ?? null
  const { headers } = await state.item(jobDocumentId(jobId), partitionKey).read()
  const id = rangeIdIn(headers)
  return physicalRanges.find((range) => range.id === id) ?? null
}

type Found = Pick<Inspection, 'units' | 'storeTimeMs'> & { readonly expirationMs: number }

/** Describes what no instance does for the range of a job, or returns null. */
export function unreadText(job: WaitingJob, range: FeedRange, found: Found): string | null {
  const isAtWork = job.steps.some(({ state, agent }) => {
    return agent !== '' && (state === 'Processing' || state === 'Compensating')
  })
  // A job that has failed needs no role before an operator acts.
  const wanted = job.endedAt === null ? neededRoles.filter((role) => role !== 'agents' || isAtWork) : []
  const looks = wanted.map((role) => ({ role, ...leasesAt(role, range, found) }))
  const unread = looks.filter(({ parts, read }) => read.length === 0 || read.length < parts)
  const [first] = unread
  if (first !== undefined) {
    const names = unread.map(({ role }) => role).join(' and ')
    const which = `in the role${unread.length === 1 ? '' : 's'} ${names}`
    const isPart = unread.every(({ read }) => read.length > 0)
    const what = isPart ? `${first.parts - first.read.length} of ${first.parts} parts of ` : ''
    return `No instance ${which} reads ${what}the feed range of this job; "stepward leases" shows the owners.`
  }
  return missingAgentsText(job, leasesAt('agents', range, found).living)
}

/** The agent of the steps of large lists, which every instance has. Steps that only wait have the agent `''`. */
const ownActor = itemsOperation.actor

/** The problems of steps that are not tried again by themselves. */
const givenUp = ['error', 'parked', 'extendedWait', 'compensationFailed'] as const

/** Checks whether an agent works on a step, or whether the step was given up because its last attempt got no answer. */
function needsAgent({ state, attention, failureCount, diagnostics }: WaitingStep): boolean {
  if (state === 'Processing' || state === 'Compensating') return true
  const isGivenUp = givenUp.some((kind) => kind === attention?.kind)
  return isGivenUp && failureCount > 0 && diagnostics.at(-1)?.attempt !== failureCount
}

/** Names the agents that steps need and that no owner has, if every owner says which agents it has. */
function missingAgentsText({ steps }: WaitingJob, owned: readonly Lease[]): string | null {
  const known = new Set(owned.flatMap(({ serves }) => serves ?? []))
  const actors = new Set(steps.flatMap((step) => (needsAgent(step) ? [step.agent] : [])))
  const missing = [...actors].filter((actor) => !known.has(actor) && actor !== '' && actor !== ownActor)
  if (missing.length === 0 || owned.some(({ serves }) => serves === null)) return null
  const names = missing.slice(0, 3).join(', ')
  const which = `agent${missing.length === 1 ? '' : 's'} ${names}`
  const start = 'start one whose module exports it'
  const owners = [...new Set(owned.flatMap(({ owner }) => owner ?? []))]
  const [owner] = owners
  // Another instance takes over the range only when its owner gives it up.
  const advice =
    owner === undefined || owners.length > 1
      ? start
      : `${start}, and stop ${owner}, which holds the range without it`
  return `No instance that reads the feed range of this job has ${which}: ${advice}.`
}

/** Returns the number of leases of a role in a range, and those with a living owner. */
function leasesAt(role: Role, range: FeedRange, { units, storeTimeMs, expirationMs }: Found) {
  const own = units
    .filter(({ processorName }) => processorName?.endsWith(processorNameOf(role, '')) === true)
    .map(({ leases }) => {
      const silent = ownerless(leases, { storeTimeMs, expirationMs })
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

import type { JobSummary } from '../sas/index.js'
import {
  costByRole,
  idleCharge,
  isItemOfList,
  jobCharge,
  type CostQuestion,
  type JobShape,
} from '../sas/internal.js'
import type { Throughput } from './cosmos-throughput.js'

const hourMs = 3_600_000

/** The jobs and instances whose request units are computed. */
export interface Usage {
  /** The newest jobs, in any order, of those that were submitted since `sinceMs`. */
  readonly jobs: readonly JobSummary[]
  /** Whether there were more jobs than were read. The time then begins at the oldest job that was read. */
  readonly isCut: boolean
  /** The shape of a job of each workflow. A job of another workflow has only plain steps. */
  readonly shapes: ReadonlyMap<string, JobShape>
  readonly sinceMs: number
  readonly nowMs: number
  readonly question: Instances
  readonly throughput: Throughput
}

/** What is the same for all jobs. */
type Instances = Omit<CostQuestion, keyof JobShape>

/** The request units of the jobs of a time, and of the instances. All charges are computed, none is measured. */
export interface UsageReport {
  /** The time about which the report is, in ISO-8601 UTC. */
  readonly since: string
  readonly until: string
  /** The number of jobs that were read, and of those that have ended. */
  readonly jobs: number
  readonly ended: number
  readonly isCut: boolean
  /** What was assumed about the instances, because the leases show it. */
  readonly assumed: { readonly isTogether: boolean; readonly instances: number; readonly partitions: number }
  /** The workflows, the most expensive first. */
  readonly workflows: readonly WorkflowUsage[]
  /** The roles and the programs that submit jobs, with request units per second. */
  readonly roles: readonly RoleUsage[]
  /** The change feed as each role reads it, with request units per second. */
  readonly feeds: readonly FeedUsage[]
  readonly forecast: Forecast
}

export interface WorkflowUsage {
  readonly workflow: string
  readonly ended: number
  readonly perHour: number
  /** The mean number of steps of a job. */
  readonly steps: number
  /** The request units of a job, at most. */
  readonly jobCharge: number
  /** Request units per second. */
  readonly charge: number
}

export interface RoleUsage {
  readonly role: string
  /** For writes of jobs, steps and limits, and for the reads with which large lists count their items. */
  readonly writes: number
  /** For reading changes, at most. */
  readonly changes: number
  /** For polls, leases and sweeps, also without work. */
  readonly idle: number
  readonly total: number
}

export interface FeedUsage {
  readonly role: string
  readonly changes: number
  readonly polls: number
  /** For the leases that record who reads, and how far: renewals and checks. */
  readonly leases: number
}

export interface Forecast {
  /** Request units per second: the mean, that of the busiest hour, and that of instances without work. */
  readonly mean: number
  readonly busiest: number
  readonly idle: number
  /** The hour in which most jobs ended, or null if none ended. */
  readonly busiestHour: string | null
  readonly throughput: Throughput
  /** The part of the throughput that the busiest hour uses, or null if the throughput is not known. */
  readonly share: number | null
  /** The jobs that could end in an hour with this throughput, in the same mixture, or null if it is not known. */
  readonly jobsPerHour: number | null
}

/** Computes what the jobs of a time and the instances use, and how this compares with the throughput. */
export function usageReport(usage: Usage): UsageReport {
  const { jobs, isCut, nowMs, question, throughput } = usage
  const sinceMs = isCut ? Math.min(nowMs, ...jobs.map(submittedMs)) : usage.sinceMs
  const ended = jobs.filter(({ endedAt }) => endedAt !== null)
  // A time that is very short would exaggerate the rate.
  const seconds = Math.max(60, (nowMs - sinceMs) / 1_000)
  const shaped = ended.map((job) => ({ job, question: { ...question, ...shapeOf(job, usage.shapes) } }))
  const workflows = byWorkflow(shaped, seconds)
  const roles = rolesOf(shaped, question, seconds)
  const idle = roles.reduce((sum, role) => sum + role.idle, 0)
  const forJobs = workflows.reduce((sum, { charge }) => sum + charge, 0)
  const { hour, share } = busiestHour(shaped)
  return {
    since: new Date(sinceMs).toISOString(),
    until: new Date(nowMs).toISOString(),
    jobs: jobs.length,
    ended: ended.length,
    isCut,
    assumed: {
      isTogether: question.isTogether,
      instances: question.instances,
      partitions: question.partitions,
    },
    workflows,
    roles,
    feeds: feedsOf(roles, question),
    forecast: {
      mean: forJobs + idle,
      busiest: Math.max(forJobs, share) + idle,
      idle,
      busiestHour: hour,
      throughput,
      ...comparedWith(throughput.requestUnits, {
        idle,
        busiest: Math.max(forJobs, share) + idle,
        jobCharge: ended.length === 0 ? null : (forJobs * seconds) / ended.length,
      }),
    },
  }
}

function comparedWith(
  requestUnits: number | null,
  {
    idle,
    busiest,
    jobCharge,
  }: { readonly idle: number; readonly busiest: number; readonly jobCharge: number | null },
): Pick<Forecast, 'share' | 'jobsPerHour'> {
  if (requestUnits === null) return { share: null, jobsPerHour: null }
  const left = Math.max(0, requestUnits - idle)
  return {
    share: busiest / requestUnits,
    jobsPerHour: jobCharge === null ? null : Math.floor((left * 3_600) / jobCharge),
  }
}

/** An ended job, with the question that its shape is to the formulas. */
interface Shaped {
  readonly job: JobSummary
  readonly question: CostQuestion
}

function byWorkflow(ended: readonly Shaped[], seconds: number): readonly WorkflowUsage[] {
  const names = [...new Set(ended.map(({ job }) => job.workflow))]
  const rows = names.map((workflow) => {
    const own = ended.filter(({ job }) => job.workflow === workflow)
    const sum = own.reduce((total, { question }) => total + jobCharge(question), 0)
    return {
      workflow,
      ended: own.length,
      perHour: (own.length * 3_600) / seconds,
      steps: own.reduce((total, { question }) => total + question.steps, 0) / own.length,
      jobCharge: sum / own.length,
      charge: sum / seconds,
    }
  })
  return rows.sort((one, other) => other.charge - one.charge)
}

function rolesOf(ended: readonly Shaped[], instances: Instances, seconds: number): readonly RoleUsage[] {
  const parts = ended.map(({ question }) => costByRole(question))
  return costByRole({ ...instances, steps: 1, claimedSteps: 0 }).map(({ role, idle: own }, index) => {
    const rate = (what: 'writeCharge' | 'feedCharge'): number =>
      parts.reduce((sum, roles) => sum + (roles[index]?.[what] ?? 0), 0) / seconds
    const [writes, changes, idle] = [rate('writeCharge'), rate('feedCharge'), idleCharge(own)]
    return { role, writes, changes, idle, total: writes + changes + idle }
  })
}

function feedsOf(roles: readonly RoleUsage[], question: Usage['question']): readonly FeedUsage[] {
  return costByRole({ ...question, steps: 1, claimedSteps: 0 })
    .filter(({ role }) => role !== 'submitters')
    .map(({ role, idle: { polls, renewals, looksAtLeases } }) => ({
      role,
      changes: roles.find((each) => each.role === role)?.changes ?? 0,
      polls,
      leases: renewals + looksAtLeases,
    }))
}

/** Returns the hour of the clock in which the ended jobs used most, and its request units per second. */
function busiestHour(ended: readonly Shaped[]): { readonly hour: string | null; readonly share: number } {
  const hours = new Map<number, number>()
  for (const { job, question } of ended) {
    const hour = Math.floor(Date.parse(job.endedAt ?? '') / hourMs)
    hours.set(hour, (hours.get(hour) ?? 0) + jobCharge(question))
  }
  const [most] = [...hours].sort(([, one], [, other]) => other - one)
  if (most === undefined) return { hour: null, share: 0 }
  return { hour: new Date(most[0] * hourMs).toISOString(), share: (most[1] * 1_000) / hourMs }
}

function shapeOf(job: JobSummary, shapes: Usage['shapes']): JobShape {
  const { stepCount: steps } = job
  return { claimedSteps: 0, ...shapes.get(job.workflow), steps, isItem: isItemOfList(job) }
}

function submittedMs({ submittedAt }: JobSummary): number {
  return Date.parse(submittedAt)
}

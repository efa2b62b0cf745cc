import type { Fields } from './history.js'
import { keyOf, stretchesOf, waitsFor } from './limits.js'
import type { Report, Rule } from './report.js'
import { isTerminal } from './transitions.js'
import type { Version } from './versions.js'
import { objectIn, type JobHistory, type World } from './world.js'

/** Rules about the limits of whole jobs. */
export const jobLimitRules: readonly Rule<World>[] = [
  {
    id: 'limit-of-jobs',
    says: 'never more jobs are between their first attempt and their end than their limit allows',
    check: (world, report) => {
      for (const [key, jobs] of limitedJobs(world)) checkAtOnce(key, jobs, report)
    },
  },
  {
    id: 'limit-of-jobs-moves',
    says: 'no waiting job is left behind at a limit that has room',
    check: (world, report) => {
      for (const [key, jobs] of limitedJobs(world)) checkLeft(key, jobs, world, report)
    },
  },
]

interface LimitedJob {
  readonly job: JobHistory
  readonly atOnce: number
}

/** Returns the jobs of each limit by its key. */
function limitedJobs({ jobs }: World): ReadonlyMap<string, readonly LimitedJob[]> {
  const found = new Map<string, LimitedJob[]>()
  for (const job of jobs) {
    const stored = job.job.versions[0]?.value
    const limits = Array.isArray(stored?.['limits']) ? (stored['limits'] as Fields[]) : []
    for (const limit of limits) {
      const { key, atOnce } = limit
      if (typeof key !== 'string' || typeof atOnce !== 'number') continue
      const name = `jobs:${keyOf(limit, String(stored?.['pk']))}`
      found.set(name, [...(found.get(name) ?? []), { job, atOnce }])
    }
  }
  return found
}

/** A time in which a job certainly ran: from the proof of an attempt until the request that ended the job. */
interface Stretch {
  readonly jobId: string
  readonly from: number
  readonly until: number
  readonly begin: Version
}

/** Returns the runs of a job. A job that ended and was resubmitted has another run. */
function runsOf({ jobId, job, steps }: JobHistory): readonly Stretch[] {
  const ends = job.versions.filter(({ value, isThere }) => !isThere || isTerminal(value))
  const runs = new Map<number, Stretch>()
  for (const step of steps.values()) {
    for (const { begin, from } of stretchesOf(step)) {
      const end = ends.find((one) => one.write.operation.from > begin.write.operation.from)
      const until = end?.write.operation.from ?? Infinity
      const known = runs.get(until)
      if (from < until && from < (known?.from ?? Infinity)) runs.set(until, { jobId, from, until, begin })
    }
  }
  return [...runs.values()]
}

function checkAtOnce(key: string, jobs: readonly LimitedJob[], report: Report): void {
  const runs = jobs.flatMap(({ job, atOnce }) => runsOf(job).map((run) => ({ ...run, atOnce })))
  for (const { from, atOnce } of runs) {
    const together = runs.filter((other) => other.from <= from && from < other.until)
    report.check(
      together.length <= atOnce,
      () => `limit ${key} allows ${atOnce}, and these run: ${together.map(({ jobId }) => jobId).join(', ')}`,
      () => together.map(({ begin }) => begin.write.operation),
    )
  }
}

/** Checks whether a job has a place at its limits. */
function isInside({ last }: JobHistory): boolean {
  if (last === undefined || isTerminal(last)) return false
  const { gates } = objectIn(last, 'place')
  return Array.isArray(gates) && gates.length > 0 && waitsFor(last) === null
}

/** Checks the jobs that have waited at a limit. One that still waits must have a reason. */
function checkLeft(key: string, jobs: readonly LimitedJob[], { awaitedMs }: World, report: Report): void {
  const inside = jobs.filter(({ job }) => isInside(job)).length
  for (const { job, atOnce } of jobs) {
    if (!job.job.versions.some(({ value }) => waitsFor(value) === key)) continue
    const { last } = job
    const since = Date.parse(String(objectIn(last, 'place')['since']))
    const isLeft =
      last !== undefined &&
      !isTerminal(last) &&
      waitsFor(last) === key &&
      awaitedMs !== null &&
      since <= awaitedMs
    report.check(
      !isLeft || inside >= atOnce,
      () => `${job.jobId} still waits at limit ${key}, which allows ${atOnce} and has ${inside} jobs inside`,
      () => [job.job.versions.at(-1)?.write.operation ?? null],
    )
  }
}

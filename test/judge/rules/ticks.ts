import type { Fields } from './history.js'
import type { Report, Rule } from './report.js'
import type { Document, Version } from './versions.js'
import { isTerminal } from './transitions.js'
import { numberIn, objectIn, type JobHistory, type World } from './world.js'

/** Rules about the ticks of schedules with an interval. */
export const tickRules: readonly Rule<World>[] = [
  {
    id: 'ticks',
    says: 'each tick of a schedule becomes one job, or is counted as missed or skipped; it never has two jobs',
    check: (world, report) => {
      for (const schedule of world.schedules) checkTicks(schedule, world, report)
    },
  },
  {
    id: 'overlap',
    says: 'with skip, a tick that comes before the previous run has ended submits no job',
    check: (world, report) => {
      for (const schedule of world.schedules) checkOverlap(schedule, world, report)
    },
  },
  {
    id: 'skipped-for-a-reason',
    says: 'with skip, a tick is skipped only if the previous run had not ended',
    check: (world, report) => {
      for (const schedule of world.schedules) checkSkipped(schedule, world, report)
    },
  },
]

interface Run {
  readonly dueMs: number
  readonly job: JobHistory
  readonly created: Version
}

/** Returns the jobs of a schedule by the tick in their input, so that it does not depend on their ids. */
function runsOf(schedule: Document, { jobs }: World): readonly Run[] {
  const scheduleId = schedule.versions[0]?.value['scheduleId']
  return jobs.flatMap((job): readonly Run[] => {
    const created = job.job.versions[0]
    const input = objectIn(created?.value, 'input')
    if (created === undefined || input['schedule'] !== scheduleId) return []
    return [{ dueMs: Date.parse(String(input['due'])), job, created }]
  })
}

interface Row {
  readonly fromMs: number
  readonly toMs: number
  readonly reason: unknown
}

/** Returns the rows of ticks without a job that any version of the schedule has. */
function rowsOf({ versions }: Document): readonly Row[] {
  return versions
    .flatMap(({ value }) => (Array.isArray(value['passed']) ? (value['passed'] as Fields[]) : []))
    .map(({ from, to, reason }) => ({
      fromMs: Date.parse(String(from)),
      toMs: Date.parse(String(to)),
      reason,
    }))
}

function isPassed(rows: readonly Row[], dueMs: number): boolean {
  return rows.some(({ fromMs, toMs }) => fromMs <= dueMs && dueMs <= toMs)
}

/** Returns the due times of all ticks that the run has waited for. */
function ticksOf({ versions }: Document, { awaitedMs }: World): readonly number[] {
  const stored = versions[0]?.value ?? {}
  const [firstMs, everyMs] = [
    numberIn(stored, 'nextDueMs'),
    numberIn(objectIn(stored, 'calendar'), 'everyMs'),
  ]
  const ticks: number[] = []
  for (let dueMs = firstMs; awaitedMs !== null && dueMs <= awaitedMs; dueMs += everyMs) ticks.push(dueMs)
  return ticks
}

function checkTicks(schedule: Document, world: World, report: Report): void {
  const [runs, rows] = [runsOf(schedule, world), rowsOf(schedule)]
  const due = ticksOf(schedule, world)
  for (const dueMs of new Set([...due, ...runs.map((run) => run.dueMs)])) {
    const own = runs.filter((run) => run.dueMs === dueMs)
    const isHandled = own.length > 0 || isPassed(rows, dueMs)
    report.check(
      own.length <= 1 && isHandled,
      () => `${schedule.id}: the tick of ${new Date(dueMs).toISOString()} has ${own.length} jobs`,
      () => [...own.map(({ created }) => created.write.operation), newest(schedule)],
    )
  }
  const known = runs.filter(({ dueMs }) => due.includes(dueMs))
  for (const { job } of known) {
    report.check(
      job.last !== undefined && isTerminal(job.last),
      () => `the job ${job.jobId} of a tick has not ended at the end`,
      () => [job.job.versions.at(-1)?.write.operation ?? null],
    )
  }
}

function newest({ versions }: Document) {
  return versions.at(-1)?.write.operation ?? null
}

/** Returns the run that a tick finds: the newest one that was created before. */
function runBefore(runs: readonly Run[], dueMs: number, at: number): Run | undefined {
  return runs
    .filter((run) => run.dueMs < dueMs && run.created.write.operation.from < at)
    .sort((a, b) => b.dueMs - a.dueMs)[0]
}

/** Returns the version that ended the job of a run for the first time. */
function endOf({ job }: Run): Version | undefined {
  return job.job.versions.find(({ value }) => isTerminal(value))
}

function checkOverlap(schedule: Document, world: World, report: Report): void {
  if (schedule.versions[0]?.value['overlap'] !== 'skip') return
  const [runs, rows] = [runsOf(schedule, world), rowsOf(schedule)]
  // A frozen instance may write the job of a tick that was counted as skipped. No later tick looks for that job.
  const counted = runs.filter(({ dueMs }) => !isPassed(rows, dueMs))
  for (const run of counted) {
    const before = runBefore(counted, run.dueMs, run.created.write.operation.from)
    if (before === undefined) continue
    const end = endOf(before)
    const isEnded =
      end !== undefined &&
      numberIn(end.value, 'endedAtMs') <= run.dueMs &&
      end.write.operation.from <= run.created.write.operation.until
    report.check(
      isEnded,
      () => `${run.job.jobId} was submitted although ${before.job.jobId} had not ended`,
      () => [before.created.write.operation, run.created.write.operation, end?.write.operation ?? null],
    )
  }
}

/** The faults after which an instance may decide by what it knew long ago, or by another time. */
const confusing = ['freeze', 'clock', 'clocks']

function checkSkipped(schedule: Document, world: World, report: Report): void {
  const { history } = world
  const isConfused = history.events.some(
    ({ what, fault }) => what === 'fault' && confusing.includes(String(fault)),
  )
  if (isConfused) return
  const graceMs = numberIn(history.settings, 'leaseExpirationIntervalMs')
  const [runs, rows] = [runsOf(schedule, world), rowsOf(schedule)]
  for (const dueMs of ticksOf(schedule, world)) {
    if (runs.some((run) => run.dueMs === dueMs)) continue
    if (!rows.some((row) => isPassed([row], dueMs) && row.reason === 'overlap')) continue
    const before = runBefore(runs, dueMs, Infinity)
    const end = before === undefined ? undefined : endOf(before)
    const endedMs = end === undefined ? Infinity : (end.write.operation.end?.wall ?? Infinity)
    report.check(
      before !== undefined && endedMs + graceMs >= dueMs,
      () =>
        `${schedule.id}: the tick of ${new Date(dueMs).toISOString()} was skipped, and no run was at work`,
      () => [end?.write.operation ?? null, newest(schedule)],
    )
  }
}

import type { Fields } from './history.js'
import type { Report, Rule } from './report.js'
import type { Document, Version } from './versions.js'
import { calendarOf, ticksBetween } from './calendars.js'
import { auditOf, isTerminal } from './transitions.js'
import { numberIn, objectIn, type JobHistory, type World } from './world.js'

/** Rules about the ticks of schedules. */
export const tickRules: readonly Rule<World>[] = [
  {
    id: 'ticks',
    says: 'each tick of a schedule becomes one job, or is counted as missed or skipped; no other time has a job',
    check: (world, report) => {
      for (const schedule of world.schedules) checkTicks(schedule, world, report)
    },
  },
  {
    id: 'overlap',
    says: 'a tick that comes before the previous run has ended submits no job (skip), waits (queue), or cancels that run',
    check: (world, report) => {
      for (const schedule of world.schedules) checkOverlap(schedule, world, report)
    },
  },
  {
    id: 'skipped-for-a-reason',
    says: 'a tick is skipped only if the previous run had not ended (skip) or a later tick was due (cancelPrevious)',
    check: (world, report) => {
      for (const schedule of world.schedules) checkSkipped(schedule, world, report)
    },
  },
  {
    id: 'queued',
    says: 'with queue, no tick is skipped',
    check: (world, report) => {
      for (const schedule of world.schedules) checkQueued(schedule, world, report)
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
  return versions.flatMap(rowsIn)
}

function rowsIn({ value }: Version): readonly Row[] {
  const passed = Array.isArray(value['passed']) ? (value['passed'] as Fields[]) : []
  return passed.map(({ from, to, reason }) => ({
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
  return awaitedMs === null ? [] : ticksBetween(calendarOf(stored), numberIn(stored, 'nextDueMs'), awaitedMs)
}

function checkTicks(schedule: Document, world: World, report: Report): void {
  const [runs, rows] = [runsOf(schedule, world), rowsOf(schedule)]
  const due = ticksOf(schedule, world)
  const { isTick } = calendarOf(schedule.versions[0]?.value ?? {})
  for (const dueMs of new Set([...due, ...runs.map((run) => run.dueMs)])) {
    const own = runs.filter((run) => run.dueMs === dueMs)
    const isHandled = own.length > 0 || isPassed(rows, dueMs)
    report.check(
      own.length <= 1 && isHandled && isTick(dueMs),
      () =>
        `${schedule.id}: the tick of ${timeText(dueMs)} has ${own.length} jobs${isTick(dueMs) ? '' : ', and is none'}`,
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
  const overlap = schedule.versions[0]?.value['overlap']
  if (overlap === 'allow') return
  const [runs, rows] = [runsOf(schedule, world), rowsOf(schedule)]
  // A frozen instance may write the job of a tick that was counted as skipped. No later tick looks for that job.
  const counted = runs.filter(({ dueMs }) => !isPassed(rows, dueMs))
  for (const run of counted) {
    const before = runBefore(counted, run.dueMs, run.created.write.operation.from)
    if (before === undefined) continue
    const end = endOf(before)
    const endedMs = end === undefined ? Infinity : numberIn(end.value, 'endedAtMs')
    const isInTime = overlap !== 'skip' || endedMs <= run.dueMs
    const isEnded = isBefore(end, run) && isInTime
    const cancelled = overlap === 'cancelPrevious' ? cancellationOf(before) : undefined
    report.check(
      isEnded || isBefore(cancelled, run),
      () => `${run.job.jobId} was submitted although ${before.job.jobId} had not ended`,
      () => [before.created.write.operation, run.created.write.operation, end?.write.operation ?? null],
    )
  }
}

/** Checks whether a version may have been written before the job of a run was created. */
function isBefore(version: Version | undefined, { created }: Run): boolean {
  return version !== undefined && version.write.operation.from <= created.write.operation.until
}

/** Returns the version that recorded the cancellation of a run. */
function cancellationOf({ job }: Run): Version | undefined {
  return job.job.versions.find(({ value }) => auditOf(value).some(({ command }) => command === 'cancel'))
}

function timeText(ms: number): string {
  return new Date(ms).toISOString()
}

/** The faults after which an instance may decide by what it knew long ago, or by another time. */
const confusing = ['freeze', 'clock', 'clocks']

/** Returns the awaited ticks that have no job and were counted as skipped because of another run. */
function skippedOf(schedule: Document, world: World): readonly number[] {
  const [runs, rows] = [runsOf(schedule, world), rowsOf(schedule)]
  const overlaps = rows.filter(({ reason }) => reason === 'overlap')
  return ticksOf(schedule, world).filter(
    (dueMs) => !runs.some((run) => run.dueMs === dueMs) && isPassed(overlaps, dueMs),
  )
}

function checkSkipped(schedule: Document, world: World, report: Report): void {
  const { history } = world
  const isConfused = history.events.some(
    ({ what, fault }) => what === 'fault' && confusing.includes(String(fault)),
  )
  if (isConfused) return
  const overlap = schedule.versions[0]?.value['overlap']
  for (const dueMs of skippedOf(schedule, world)) {
    const reason =
      overlap === 'cancelPrevious'
        ? overtaken(schedule, dueMs, numberIn(history.settings, 'graceMs'))
        : duringRun(runsOf(schedule, world), dueMs, numberIn(history.settings, 'leaseExpirationIntervalMs'))
    report.check(
      reason.holds,
      () => `${schedule.id}: the tick of ${timeText(dueMs)} was skipped, and ${reason.but}`,
      () => [...reason.of, newest(schedule)],
    )
  }
}

/** A reason to skip a tick, which holds or not, and what it is instead. */
interface Reason {
  readonly holds: boolean
  readonly but: string
  readonly of: readonly (Version['write']['operation'] | null)[]
}

function duringRun(runs: readonly Run[], dueMs: number, graceMs: number): Reason {
  const before = runBefore(runs, dueMs, Infinity)
  const end = before === undefined ? undefined : endOf(before)
  const endedMs = end === undefined ? Infinity : (end.write.operation.end?.wall ?? Infinity)
  const holds = before !== undefined && endedMs + graceMs >= dueMs
  return { holds, but: 'no run was at work', of: [end?.write.operation ?? null] }
}

/** Checks whether a later tick was due when the tick was counted. The store tells the time in whole seconds. */
function overtaken({ versions }: Document, dueMs: number, graceMs: number): Reason {
  const calendar = calendarOf(versions[0]?.value ?? {})
  const counting = versions.find((version) => isPassed(rowsIn(version), dueMs))
  const writtenMs = (counting?.write.operation.invoke.wall ?? 0) + graceMs + 1_000
  const [laterMs = Infinity] = ticksBetween(calendar, dueMs + calendar.stepMs, dueMs + 60_000)
  const of = [counting?.write.operation ?? null]
  return { holds: laterMs <= writtenMs, but: 'no later tick was due', of }
}

function checkQueued(schedule: Document, world: World, report: Report): void {
  if (schedule.versions[0]?.value['overlap'] !== 'queue') return
  const skipped = skippedOf(schedule, world)
  for (const dueMs of ticksOf(schedule, world)) {
    report.check(
      !skipped.includes(dueMs),
      () => `${schedule.id}: the tick of ${timeText(dueMs)} was skipped`,
      () => [newest(schedule)],
    )
  }
}

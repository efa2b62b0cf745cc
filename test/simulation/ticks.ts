import type { Random } from '../../src/platform/index.js'
import { seededRandom } from '../../src/platform/index.js'
import { tickJobId } from '../../src/sas/model/document-ids.js'
import type { OverlapPolicy, ScheduleDocument } from '../../src/sas/model/schedule-documents.js'
import { nextDue } from '../../src/sas/schedules/calendar.js'
import { withLateJobs } from '../../src/sas/schedules/counted-ticks.js'
import { decideTick, type Run, type TickDecision } from '../../src/sas/schedules/decide-tick.js'
import { mayStayOpen } from '../../src/sas/schedules/open-ticks.js'
import { aSchedule } from '../support/a-schedule.js'

export interface TickStory {
  readonly seed: number
  /** The number of ticks after which the faults stop. */
  readonly ticks: number
  readonly overlap: OverlapPolicy
  readonly jitterMs: number
}

export interface TickTotals {
  readonly ticks: number
  readonly submitted: number
  readonly missed: number
  readonly skipped: number
  /** How often a supervisor died between the job of a tick and the schedule. */
  readonly deaths: number
  /** How often a job existed already when a supervisor submitted it. */
  readonly repeats: number
  /** How often a supervisor submitted a tick that was counted as passed over while it was frozen. */
  readonly corrections: number
  /** How often this came so late that the schedule had forgotten the row of the tick. */
  readonly forgotten: number
}

const start = Date.UTC(2026, 0, 1)
const everyMs = 60_000
const graceMs = 2_000
const catchUpMs = 10 * everyMs

type Advance = TickDecision & { readonly kind: 'advance' }

/** A supervisor, and how far it has advanced the version of the schedule that it has read. */
interface Supervisor {
  readonly version: number
  readonly schedule: ScheduleDocument
  readonly created: readonly number[]
  /** What it has decided and not yet written. `isSubmitted` says whether it has written the job. */
  readonly decided: { readonly advance: Advance; readonly isSubmitted: boolean } | null
  /** It does nothing before this time. */
  readonly frozenUntilMs: number
}

/**
 * Runs the decision about ticks in three supervisors. They take their turns in any order, die before any of
 * their writes, are frozen for up to an hour between a decision and its writes, and are all down for up to an
 * hour. Each write of the schedule is checked.
 *
 * @throws Error with the seed if a tick is lost, is counted twice, or is counted as submitted without a job
 */
export function simulateTicks({ seed, ticks, overlap, jitterMs }: TickStory): TickTotals {
  const random: Random = seededRandom(seed)
  const world = new TickWorld(
    aSchedule(start, { calendar: { everyMs }, overlap, jitterMs, catchUpMs }),
    random,
    seed,
  )
  const endMs = start + ticks * everyMs
  while (world.now < endMs) {
    // Now and then, no supervisor runs for up to an hour.
    world.now += random.next() < 0.000_5 ? random.next() * 3_600_000 : random.next() * everyMs
    for (let turn = 0; turn < 4; turn += 1) world.turn(Math.floor(random.next() * 3), 0.05)
  }
  // Without faults, everything that is due is accounted for.
  world.now = endMs + jitterMs + graceMs
  for (let turn = 0; turn < 10_000 && !world.isSettled(); turn += 1) world.turn(turn % 3, 0)
  return world.totals()
}

class TickWorld {
  now = start
  /** The time when the job of each tick ends. */
  readonly jobs = new Map<string, number>()
  private readonly supervisors = new Map<number, Supervisor>()
  private readonly waiting = new Set<number>()
  private version = 0
  private accountedMs = start
  private readonly passed = new Set<number>()
  private readonly seen = { deaths: 0, repeats: 0, corrections: 0, forgotten: 0 }

  constructor(
    private stored: ScheduleDocument,
    private readonly random: Random,
    private readonly seed: number,
  ) {}

  /** Lets a supervisor do the next of its requests, before which it may die or freeze. */
  turn(index: number, dying: number): void {
    this.waiting.delete(index)
    const supervisor = this.reading(this.supervisors.get(index))
    if (supervisor === null || (dying > 0 && supervisor.frozenUntilMs > this.now)) return
    const { decided } = supervisor
    // An instance that was frozen and dies before it reads the schedule again leaves a wrong count.
    const mayDie = supervisor.version === this.version || supervisor.created.length === 0
    if (this.random.next() < dying && mayDie) {
      if (decided?.isSubmitted === true || supervisor.created.length > 0) this.seen.deaths += 1
      this.supervisors.delete(index)
    } else if (decided === null) this.decide(index, supervisor)
    else if (!decided.isSubmitted) this.submit(index, supervisor, decided.advance)
    else this.supervisors.set(index, this.write(supervisor, decided.advance))
  }

  isSettled(): boolean {
    return this.waiting.size === 3
  }

  totals(): TickTotals {
    const { submitted, missed, skipped, nextDueMs } = this.settled()
    const ticks = ((nextDueMs ?? 0) - everyMs - start) / everyMs
    if (submitted + missed + skipped !== ticks)
      this.fail(`${ticks} ticks, but ${submitted}+${missed}+${skipped}`)
    if (this.jobs.size !== submitted + this.seen.forgotten)
      this.fail(`${submitted} submitted, but ${this.jobs.size} jobs`)
    return { ticks, submitted, missed, skipped, ...this.seen }
  }

  /** Returns the schedule with its open ticks, as far as a supervisor has advanced it. */
  private settled(): ScheduleDocument {
    const ahead = [...this.supervisors.values()].filter(({ version }) => version === this.version)
    return ahead.reduce<ScheduleDocument>(
      (most, { schedule }) => ((schedule.nextDueMs ?? 0) > (most.nextDueMs ?? 0) ? schedule : most),
      this.stored,
    )
  }

  /** Returns a supervisor that has no decision to write, after it has read the schedule again. */
  private reading(before: Supervisor | undefined): Supervisor | null {
    const fresh = { schedule: this.stored, created: [], decided: null, frozenUntilMs: 0 }
    if (before === undefined) return { version: this.version, ...fresh }
    if (before.decided !== null || before.version === this.version || before.frozenUntilMs > this.now) {
      return before
    }
    this.correct(before.created)
    return { version: this.version, ...fresh, schedule: this.stored }
  }

  /** Corrects the counts of ticks whose jobs exist, if they were counted as passed over. */
  private correct(created: readonly number[]): void {
    const corrected = withLateJobs(this.stored, created)
    const isKept = (dueMs: number): boolean =>
      this.stored.passed.some(({ from, to }) => Date.parse(from) <= dueMs && dueMs <= Date.parse(to))
    this.seen.forgotten += created.filter((dueMs) => this.passed.delete(dueMs) && !isKept(dueMs)).length
    if (corrected === null) return
    this.seen.corrections += 1
    this.version += 1
    this.stored = corrected
  }

  private decide(index: number, supervisor: Supervisor): void {
    const { schedule } = supervisor
    let [previous, isSubmitted]: [Run | null, boolean | null] = [null, null]
    for (;;) {
      const decision = decideTick(schedule, { now: this.now, graceMs, previous, isSubmitted })
      if (decision.kind === 'read') {
        if (decision.what === 'previous') previous = this.runOf(schedule.last?.jobId ?? '')
        else isSubmitted = this.jobs.has(tickJobId(schedule.scheduleId, schedule.nextDueMs ?? 0))
        continue
      }
      if (decision.kind !== 'advance') {
        this.waiting.add(index)
        this.supervisors.set(index, supervisor)
        return
      }
      const isFrozen = this.random.next() < 0.001
      const frozenUntilMs = isFrozen ? this.now + this.random.next() * 3_600_000 : 0
      const decided = { advance: decision, isSubmitted: decision.submission === null }
      this.supervisors.set(index, { ...supervisor, decided, frozenUntilMs })
      return
    }
  }

  private submit(index: number, supervisor: Supervisor, advance: Advance): void {
    const { jobId = '', dueMs = 0 } = advance.submission ?? {}
    const isNew = !this.jobs.has(jobId)
    if (isNew) this.jobs.set(jobId, this.now + this.random.next() * 2 * everyMs)
    else this.seen.repeats += 1
    const created = isNew ? [...supervisor.created, dueMs] : supervisor.created
    this.supervisors.set(index, { ...supervisor, created, decided: { advance, isSubmitted: true } })
  }

  private runOf(jobId: string): Run {
    const endedAtMs = this.jobs.get(jobId)
    if (endedAtMs === undefined) return { kind: 'none' }
    return endedAtMs <= this.now ? { kind: 'ended', endedAtMs } : { kind: 'running' }
  }

  private write(supervisor: Supervisor, advance: Advance): Supervisor {
    const { schedule, submission } = advance
    const after = { ...supervisor, decided: null, frozenUntilMs: 0 }
    const isCurrent = supervisor.version === this.version
    if (isCurrent && submission !== null && mayStayOpen(this.stored, schedule, null)) {
      return { ...after, schedule }
    }
    if (!isCurrent) return after
    this.account(advance)
    this.version += 1
    this.stored = schedule
    // The instance that passes over a tick looks for its job once more afterwards.
    const { nextDueMs: dueMs } = supervisor.schedule
    if (advance.passed !== null && this.jobs.has(tickJobId(schedule.scheduleId, dueMs ?? 0))) {
      this.correct([dueMs ?? 0])
      return { ...after, version: this.version, schedule: this.stored, created: [] }
    }
    return { ...after, version: this.version, schedule, created: [] }
  }

  /** Checks that this write accounts for the ticks after those that were accounted for, each of them once. */
  private account({ passed, schedule }: Advance): void {
    const lastMs = (schedule.nextDueMs ?? 0) - everyMs
    const { submitted, missed, skipped } = this.stored
    const counted = schedule.submitted - submitted + schedule.missed - missed + schedule.skipped - skipped
    if (counted !== (lastMs - this.accountedMs) / everyMs) this.fail(`${counted} ticks were counted`)
    const passedMs = passed === null ? Infinity : Date.parse(passed.from)
    const firstMs = nextDue({ everyMs }, this.accountedMs) ?? 0
    for (let dueMs = firstMs; dueMs <= lastMs; dueMs += everyMs) {
      const hasJob = this.jobs.has(tickJobId(schedule.scheduleId, dueMs))
      // A frozen supervisor may create the job between the decision and this write. It then corrects the count.
      if (!hasJob && dueMs < passedMs) this.fail(`the tick of ${dueMs} has no job`)
      if (dueMs >= passedMs) this.passed.add(dueMs)
    }
    this.accountedMs = lastMs
  }

  private fail(what: string): never {
    throw new Error(`I23, seed ${this.seed}: ${what}`)
  }
}

import type { Random } from '../../src/platform/index.js'
import { seededRandom } from '../../src/platform/index.js'
import { tickJobId } from '../../src/sas/model/document-ids.js'
import type { OverlapPolicy, ScheduleDocument } from '../../src/sas/model/schedule-documents.js'
import { nextDue } from '../../src/sas/schedules/calendar.js'
import { decideTick, type Run, type TickDecision } from '../../src/sas/schedules/decide-tick.js'
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
}

const start = Date.UTC(2026, 0, 1)
const everyMs = 60_000
const graceMs = 2_000
const catchUpMs = 10 * everyMs

/** A supervisor that has decided about a version of the schedule, and has still to write. */
interface Deciding {
  readonly version: number
  readonly decision: TickDecision & { readonly kind: 'advance' }
}

/**
 * Runs the decision about ticks in three supervisors. They take their turns in any order, die between the job of
 * a tick and the schedule, and are all down for up to an hour. Each write of the schedule is checked.
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
  readonly jobs = new Map<string, number>()
  private readonly supervisors = new Map<number, Deciding>()
  private version = 0
  private accountedMs = start
  private deaths = 0
  private repeats = 0
  private isWaiting = false

  constructor(
    private schedule: ScheduleDocument,
    private readonly random: Random,
    private readonly seed: number,
  ) {}

  /** Lets a supervisor do the next of its requests, before which it may die. */
  turn(index: number, dying: number): void {
    const deciding = this.supervisors.get(index)
    if (this.random.next() < dying) {
      if (deciding !== undefined) this.deaths += 1
      this.supervisors.delete(index)
      return
    }
    if (deciding === undefined) this.decide(index)
    else this.write(index, deciding)
  }

  isSettled(): boolean {
    return this.isWaiting && this.supervisors.size === 0
  }

  totals(): TickTotals {
    const { submitted, missed, skipped, nextDueMs } = this.schedule
    const ticks = ((nextDueMs ?? 0) - everyMs - start) / everyMs
    if (submitted + missed + skipped !== ticks)
      this.fail(`${ticks} ticks, but ${submitted}+${missed}+${skipped}`)
    if (this.jobs.size < submitted) this.fail(`${submitted} submitted, but ${this.jobs.size} jobs`)
    return { ticks, submitted, missed, skipped, deaths: this.deaths, repeats: this.repeats }
  }

  private decide(index: number): void {
    let [previous, isSubmitted]: [Run | null, boolean | null] = [null, null]
    for (;;) {
      const facts = { now: this.now, graceMs, previous, isSubmitted }
      const decision = decideTick(this.schedule, facts)
      if (decision.kind === 'read') {
        if (decision.what === 'previous') previous = this.runOf(this.schedule.last?.jobId ?? '')
        else isSubmitted = this.jobs.has(tickJobId(this.schedule.scheduleId, this.schedule.nextDueMs ?? 0))
        continue
      }
      this.isWaiting = decision.kind !== 'advance'
      if (decision.kind !== 'advance') return
      // The job first: this is the first of the two writes.
      if (decision.submission !== null) this.submit(decision.submission.jobId)
      this.supervisors.set(index, { version: this.version, decision })
      return
    }
  }

  private submit(jobId: string): void {
    if (this.jobs.has(jobId)) this.repeats += 1
    else this.jobs.set(jobId, this.now + this.random.next() * 2 * everyMs)
  }

  private runOf(jobId: string): Run {
    const endedAtMs = this.jobs.get(jobId)
    if (endedAtMs === undefined) return { kind: 'none' }
    return endedAtMs <= this.now ? { kind: 'ended', endedAtMs } : { kind: 'running' }
  }

  private write(index: number, { version, decision }: Deciding): void {
    this.supervisors.delete(index)
    if (version !== this.version) return
    this.version += 1
    this.account(decision)
    this.schedule = decision.schedule
  }

  /** Checks that this write accounts for the ticks after those that were accounted for, each of them once. */
  private account({ submission, passed, schedule }: Deciding['decision']): void {
    const firstMs = nextDue({ everyMs }, this.accountedMs) ?? 0
    const lastMs = (schedule.nextDueMs ?? 0) - everyMs
    const { submitted, missed, skipped } = this.schedule
    const counted = schedule.submitted - submitted + schedule.missed - missed + schedule.skipped - skipped
    if (counted !== (lastMs - this.accountedMs) / everyMs) this.fail(`${counted} ticks were counted`)
    if (submission !== null && submission.dueMs !== firstMs) this.fail('a tick was left out')
    for (let dueMs = firstMs; dueMs <= lastMs; dueMs += everyMs) {
      const hasJob = this.jobs.has(tickJobId(schedule.scheduleId, dueMs))
      if (hasJob === (passed !== null)) this.fail(`the tick of ${dueMs} ${hasJob ? 'has a' : 'has no'} job`)
    }
    this.accountedMs = lastMs
  }

  private fail(what: string): never {
    throw new Error(`I23, seed ${this.seed}: ${what}`)
  }
}

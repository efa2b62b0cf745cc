import type { ScheduleDocument } from '../../src/sas/model/schedule-documents.js'
import { withLateJobs } from '../../src/sas/schedules/counted-ticks.js'
import { decideTick, type Run, type TickDecision } from '../../src/sas/schedules/decide-tick.js'
import { mayStayOpen } from '../../src/sas/schedules/open-ticks.js'
import { aSchedule } from '../support/a-schedule.js'

/** The decisions about ticks, so that a test can remove one guard. */
export interface TickDecisions {
  readonly decideTick: typeof decideTick
  readonly withLateJobs: typeof withLateJobs
  readonly mayStayOpen: typeof mayStayOpen
  /** Whether the store writes a schedule that has changed since it was read. */
  readonly isWrittenWhenStale: boolean
  /** Whether the schedule is written before the job of its tick. */
  readonly isWrittenFirst: boolean
}

export const productionTicks: TickDecisions = {
  decideTick,
  withLateJobs,
  mayStayOpen,
  isWrittenWhenStale: false,
  isWrittenFirst: false,
}

/** A world with one schedule of a few ticks and two supervisors. */
export interface ScheduleWorld {
  readonly name: string
  readonly overlap: ScheduleDocument['overlap']
  readonly ticks: number
  readonly deaths: number
}

export const scheduleWorlds: readonly ScheduleWorld[] = [
  { name: 'ticks', overlap: 'allow', ticks: 2, deaths: 1 },
  { name: 'ticks-that-overlap', overlap: 'skip', ticks: 1, deaths: 1 },
]

const startMs = Date.parse('2026-11-23T12:00:00Z')
const [everyMs, catchUpMs, graceMs, stepMs] = [60_000, 60_000, 2_000, 40_000] as const

/** The job of a tick. `by` is the supervisor that created it, or null if that process has died since. */
interface TickJob {
  readonly jobId: string
  readonly dueMs: number
  readonly by: number | null
  readonly endedAtMs: number | null
}

interface Ahead {
  readonly stored: ScheduleDocument
  readonly schedule: ScheduleDocument
  readonly created: readonly number[]
}

type Advance = TickDecision & { readonly kind: 'advance' }

/** The next request of a supervisor. */
type Phase =
  | { readonly does: 'look' }
  | { readonly does: 'correct'; readonly stored: ScheduleDocument; readonly corrected: ScheduleDocument }
  | {
      readonly does: 'previous' | 'isSubmitted'
      readonly ahead: Ahead
      readonly previous: Run | null
      readonly beganMs: number
    }
  | {
      readonly does: 'submit' | 'write'
      readonly ahead: Ahead
      readonly advance: Advance
      /** Whether the job of the tick was there before the decision. */
      readonly hadJob?: boolean
      readonly beganMs: number
    }
  | { readonly does: 'late'; readonly ahead: Ahead; readonly advance: Advance }

interface Supervisor {
  readonly phase: Phase
  readonly ahead: Ahead | null
}

/** One state of the world. */
export interface TickState {
  readonly now: number
  readonly stored: ScheduleDocument
  readonly jobs: readonly TickJob[]
  readonly supervisors: readonly Supervisor[]
  readonly deaths: number
}

/** A state that follows, and what happens on the way to it. */
export interface TickMove {
  readonly does: string
  readonly to: TickState
}

const look: Phase = { does: 'look' }

/** The moves of two supervisors that submit the ticks of one schedule, as `TickRunner` does. */
class TickMachine {
  constructor(
    private readonly world: ScheduleWorld,
    private readonly decisions: TickDecisions = productionTicks,
  ) {}

  begin(): TickState {
    const stored = aSchedule(startMs, { calendar: { everyMs }, catchUpMs, overlap: this.world.overlap })
    const supervisors = [0, 1].map(() => ({ phase: look, ahead: null }))
    return { now: startMs, stored, jobs: [], supervisors, deaths: 0 }
  }

  /** Returns the states that may follow. */
  from(state: TickState): readonly TickMove[] {
    const { now, jobs, supervisors, deaths } = state
    const moves: TickMove[] = []
    if (now < this.horizonMs) moves.push({ does: 'time passes', to: { ...state, now: now + stepMs } })
    for (const job of jobs) {
      if (job.endedAtMs !== null || this.world.overlap === 'allow') continue
      const ended = jobs.map((each) => (each === job ? { ...job, endedAtMs: now } : each))
      moves.push({ does: `${job.jobId} ends`, to: { ...state, jobs: ended } })
    }
    for (const [index, supervisor] of supervisors.entries()) {
      const does = `supervisor ${index}: ${supervisor.phase.does}`
      moves.push({ does, to: this.next(state, index) })
      const isIdle = supervisor.phase.does === 'look' && supervisor.ahead === null
      if (!isIdle && deaths < this.world.deaths) {
        moves.push({ does: `supervisor ${index} dies`, to: died(state, index) })
      }
    }
    return moves
  }

  /** Returns the invariant that this state breaks, or null. */
  problemIn({ now, stored, jobs, supervisors }: TickState): string | null {
    const { nextDueMs, submitted: count, missed, skipped, passed } = stored
    const counted = count + missed + skipped
    const ticks = ((nextDueMs ?? 0) - startMs) / everyMs - 1
    if (counted !== ticks) return `I23: ${counted} of ${ticks} ticks are counted`
    if (new Set(jobs.map(({ dueMs }) => dueMs)).size < jobs.length) return 'I23: a tick has two jobs'
    const isKnown = supervisors.some(
      ({ phase }) => phase.does === 'write' && phase.hadJob === true && phase.advance.passed !== null,
    )
    if (isKnown) return 'I23: a tick with a job is passed over'
    const isEarly = passed.some(({ reason, to }) => reason === 'late' && Date.parse(to) + catchUpMs >= now)
    return isEarly ? 'I23: a tick is missed that could be submitted' : null
  }

  /** Lets both supervisors work without further faults, and returns what is broken at the end, or null. */
  problemAtRest(from: TickState): string | null {
    let state: TickState = { ...from, now: Math.max(from.now, this.horizonMs) }
    for (let moves = 0, idle = 0; idle < 2; moves += 1) {
      if (moves > 200) return 'I23: the supervisors do not come to rest'
      const jobs = state.jobs.map((job) => ({ ...job, endedAtMs: job.endedAtMs ?? state.now }))
      const before = { ...state, jobs }
      const index = before.supervisors.findIndex(({ phase }) => phase.does !== 'look')
      state = this.next(before, index === -1 ? idle : index)
      const isSame = index === -1 && JSON.stringify(state) === JSON.stringify(before)
      idle = isSame ? idle + 1 : 0
    }
    return this.problemAtEnd(state)
  }

  /** A tick whose creator died may also be counted as passed over. Every other tick is counted once. */
  private problemAtEnd({ stored, jobs, now }: TickState): string | null {
    const isThere = (dueMs: number): boolean => jobs.some((job) => job.dueMs === dueMs)
    let nextMs = stored.nextDueMs ?? 0
    while (isThere(nextMs)) nextMs += everyMs
    if (nextMs <= now) return 'I23: a tick that is due is neither submitted nor counted'
    const open = (nextMs - (stored.nextDueMs ?? 0)) / everyMs
    const ticks = (nextMs - startMs) / everyMs - 1
    const wrong = stored.missed + stored.skipped - (ticks - jobs.length)
    const inDoubt = jobs.filter(({ by }) => by === null).length
    const isRight = wrong >= 0 && wrong <= inDoubt && stored.submitted + open + wrong === jobs.length
    return isRight
      ? null
      : `I23: ${jobs.length} jobs, ${stored.submitted}+${open} submitted, ${wrong} in doubt`
  }

  private get horizonMs(): number {
    return startMs + (this.world.ticks + 1) * everyMs
  }

  /** Performs the next request of a supervisor, and decides what follows. */
  private next(state: TickState, index: number): TickState {
    const { phase, ahead } = state.supervisors[index] ?? { phase: look, ahead: null }
    const set = (to: TickState, next: Phase, own: Ahead | null): TickState => {
      const supervisors = to.supervisors.map((each, at) =>
        at === index ? { phase: next, ahead: own } : each,
      )
      return { ...to, supervisors }
    }
    const decide = (
      own: Ahead,
      facts: { previous: Run | null; isSubmitted: boolean | null },
      beganMs: number,
    ) => {
      const decision = this.decisions.decideTick(own.schedule, { now: state.now, graceMs, ...facts })
      if (decision.kind === 'read') {
        return set(state, { does: decision.what, ahead: own, previous: facts.previous, beganMs }, ahead)
      }
      if (decision.kind !== 'advance') return set(state, look, ahead)
      const hadJob = state.jobs.some(({ dueMs }) => dueMs === own.schedule.nextDueMs)
      const isWrite = decision.submission === null || this.decisions.isWrittenFirst
      return set(
        state,
        { does: isWrite ? 'write' : 'submit', ahead: own, advance: decision, beganMs, hadJob },
        ahead,
      )
    }
    switch (phase.does) {
      case 'look': {
        const { stored } = state
        if (ahead !== null && isSame(ahead.stored, stored)) {
          return decide(ahead, { previous: null, isSubmitted: null }, state.now)
        }
        const corrected = ahead === null ? null : this.decisions.withLateJobs(stored, ahead.created)
        if (corrected !== null) return set(state, { does: 'correct', stored, corrected }, ahead)
        const own = { stored, schedule: stored, created: [] }
        const decided = decide(own, { previous: null, isSubmitted: null }, state.now)
        const next = decided.supervisors[index]?.phase ?? look
        return set(state, next, null)
      }
      case 'correct': {
        const isWritten = isSame(phase.stored, state.stored)
        return set(
          { ...state, stored: isWritten ? phase.corrected : state.stored },
          look,
          isWritten ? null : ahead,
        )
      }
      case 'previous': {
        const last = state.jobs.find(({ jobId }) => jobId === phase.ahead.schedule.last?.jobId)
        return decide(phase.ahead, { previous: runOf(last), isSubmitted: null }, phase.beganMs)
      }
      case 'isSubmitted': {
        const isSubmitted = state.jobs.some(({ dueMs }) => dueMs === phase.ahead.schedule.nextDueMs)
        return decide(phase.ahead, { previous: phase.previous, isSubmitted }, phase.beganMs)
      }
      case 'submit':
        return this.submit(state, index, phase)
      case 'write': {
        const { stored, created } = phase.ahead
        const isWritten = this.decisions.isWrittenWhenStale || isSame(stored, state.stored)
        if (!isWritten) return set(state, look, phase.ahead)
        const written = { ...state, stored: phase.advance.schedule }
        const { submission, passed } = phase.advance
        if (this.decisions.isWrittenFirst && submission !== null) {
          return set(written, { ...phase, does: 'submit' }, null)
        }
        const late: Phase = { does: 'late', ahead: { ...phase.ahead, created }, advance: phase.advance }
        return set(written, passed === null ? look : late, null)
      }
      case 'late': {
        const { nextDueMs: dueMs } = phase.ahead.schedule
        const isThere = state.jobs.some((job) => job.dueMs === dueMs)
        return set(state, look, isThere && dueMs !== null ? { ...phase.ahead, created: [dueMs] } : null)
      }
    }
  }

  private submit(
    state: TickState,
    index: number,
    phase: Phase & { readonly does: 'submit' | 'write' },
  ): TickState {
    const { advance, ahead, beganMs } = phase
    const { submission } = advance
    if (submission === null) return state
    const isNew = state.jobs.every(({ jobId }) => jobId !== submission.jobId)
    const job: TickJob = { ...submission, by: index, endedAtMs: null }
    const jobs = isNew ? [...state.jobs, job] : state.jobs
    const own = { ...ahead, created: isNew ? [...ahead.created, submission.dueMs] : ahead.created }
    const mayStay = this.decisions.mayStayOpen(ahead.stored, advance.schedule, null)
    const next: Supervisor = this.decisions.isWrittenFirst
      ? { phase: look, ahead: null }
      : mayStay
        ? { phase: look, ahead: { ...own, schedule: advance.schedule } }
        : { phase: { does: 'write', ahead: own, advance, beganMs }, ahead: own }
    return { ...state, jobs, supervisors: state.supervisors.map((each, at) => (at === index ? next : each)) }
  }
}

function died(state: TickState, index: number): TickState {
  const supervisors = state.supervisors.map((each, at) =>
    at === index ? { phase: look, ahead: null } : each,
  )
  const { phase, ahead } = state.supervisors[index] ?? { phase: look, ahead: null }
  // The process no longer corrects the count of these ticks.
  const lost = new Set([
    ...(ahead?.created ?? []),
    phase.does === 'late' ? phase.ahead.schedule.nextDueMs : null,
  ])
  const jobs = state.jobs.map((job) => (job.by === index || lost.has(job.dueMs) ? { ...job, by: null } : job))
  return { ...state, supervisors, jobs, deaths: state.deaths + 1 }
}

function runOf(job: TickJob | undefined): Run {
  if (job === undefined) return { kind: 'none' }
  return job.endedAtMs === null ? { kind: 'running' } : { kind: 'ended', endedAtMs: job.endedAtMs }
}

/** Compares the versions of a schedule. Every write changes a count, so the content identifies a version. */
function isSame(one: ScheduleDocument, other: ScheduleDocument): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

export interface TickExploration {
  readonly states: number
  readonly transitions: number
  readonly isComplete: boolean
  /** The broken invariant with the shortest way to it, or null. */
  readonly violation: { readonly problem: string; readonly trace: readonly string[] } | null
}

/** Visits the states of a world breadth first. */
export function exploreTicks(
  world: ScheduleWorld,
  {
    decisions = productionTicks,
    maxStates = 1_000_000,
  }: { decisions?: TickDecisions; maxStates?: number } = {},
): TickExploration {
  const machine = new TickMachine(world, decisions)
  const states: { readonly state: TickState; readonly from: number; readonly does: string }[] = []
  const known = new Set<string>()
  let transitions = 0
  const arrive = (state: TickState, from: number, does: string): void => {
    const text = JSON.stringify(state)
    if (known.has(text)) return
    known.add(text)
    states.push({ state, from, does })
  }
  const traceTo = (at: number): string[] => {
    const found = states[at]
    return found === undefined || found.from < 0 ? [] : [...traceTo(found.from), found.does]
  }
  arrive(machine.begin(), -1, 'begins')
  let at = 0
  for (; at < states.length && states.length < maxStates; at += 1) {
    const state = states[at]?.state ?? machine.begin()
    // From every other state, the same states at rest are reached through states that are visited too.
    const isIdle = state.supervisors.every(({ phase }) => phase.does === 'look')
    const problem = machine.problemIn(state) ?? (isIdle ? machine.problemAtRest(state) : null)
    if (problem !== null) {
      return {
        states: states.length,
        transitions,
        isComplete: false,
        violation: { problem, trace: traceTo(at) },
      }
    }
    for (const { does, to } of machine.from(state)) {
      transitions += 1
      arrive(to, at, does)
    }
  }
  return { states: states.length, transitions, isComplete: at === states.length, violation: null }
}

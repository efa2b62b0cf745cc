import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import type { OperatorCommand } from '../../src/sas/decisions/operator/request.js'
import { aSubmission, documentsOf as documentsIn } from '../support/a-job.js'
import {
  canonicalJob,
  canonicalStep,
  laterJob,
  laterStep,
  liveToken,
  mostTicks,
  now,
  tickMs,
} from './canonical.js'
import { production, type Decisions } from './decisions.js'
import { DocumentTable } from './documents-table.js'
import { judgeEffects, type Truth } from './effects.js'
import { checkWrite, problemOf } from './invariants.js'
import { laterRemote, opened, superseded, withFirstAhead, type Remote } from './remote.js'
import { Situations, type Situation } from './situation.js'
import { jobMoves, stepMoves, type JobMoves, type StepMoves } from './step-moves.js'
import { TupleTable } from './tuple-table.js'
import type { CommandName, World } from './world.js'
import { documentsOf, replacing, writingOf, type Looked, type Tables, type Writing } from './writing.js'

/** The places of a state's parts in its tuple: the job, its flags, and three numbers for each step. */
const part = { job: 0, flags: 1, firstStep: 2, ofStep: 3, document: 0, old: 1, remote: 2 } as const

/** Flag: a change that a scheduler must examine has not been delivered yet. */
const isCalled = 1
const commandsFrom = 1

/**
 * One job of a world: its states as tuples, and the decisions about them. States hold canonical documents, so
 * that each decision is made only once, however many states contain it.
 *
 * Every method works on `here`, which `enter` fills; writes are prepared in `next`.
 */
export class JobMachine {
  readonly tables: Tables
  readonly states: TupleTable
  readonly width: number
  readonly here: Int32Array
  readonly next: Int32Array
  readonly situations: Situations
  private readonly view: Int32Array
  private readonly moves: StepMoves[] = []
  private readonly jobs: JobMoves[] = []
  private readonly later = new Map<number, number>()
  private readonly extensions = new Map<string, Writing | null>()
  private readonly stops = new Map<string, Writing | null>()
  private readonly commands = new Map<string, Writing | null>()
  private readonly staleProblems = new Map<number, string | null>()
  private readonly templates: readonly string[]
  private seenNumber = 0

  constructor(
    readonly world: World,
    readonly decisions: Decisions = production,
  ) {
    const stepIds = world.plan.steps.map(({ id }) => id)
    const jobs = new DocumentTable<JobDocument>()
    const steps = new DocumentTable<StepDocument>()
    this.tables = { stepIds, jobs, steps, decisions }
    this.width = part.firstStep + part.ofStep * stepIds.length
    this.states = new TupleTable(this.width)
    this.here = new Int32Array(this.width)
    this.next = new Int32Array(this.width)
    this.view = new Int32Array(1 + stepIds.length)
    this.situations = new Situations(this.tables)
    this.templates = world.plan.steps.map(({ input }) => JSON.stringify(input))
  }

  get stepCount(): number {
    return this.tables.stepIds.length
  }

  /** Submits the job, and returns the number of its state. */
  begin(): number {
    const { plan, completeWithinMs, retainForMs } = this.world
    const request = aSubmission(plan, { completeWithinMs, retainForMs })
    const { job, steps } = documentsIn(this.decisions.submit(request))
    const { next, tables } = this
    next.fill(0)
    next[part.job] = tables.jobs.numberOf(canonicalJob(job))
    next[part.flags] = isCalled
    tables.stepIds.forEach((stepId, place) => {
      const step = steps.get(stepId)
      if (step === undefined) throw new Error(`step ${stepId} was not submitted`)
      next[part.firstStep + place * part.ofStep] = tables.steps.numberOf(canonicalStep(step))
    })
    return this.arrive()
  }

  enter(state: number): void {
    this.states.read(state, this.here)
  }

  /** Returns the number of the state in `next`. */
  arrive(): number {
    const { next } = this
    const flags = next[part.flags] ?? 0
    if ((flags & isCalled) !== 0 && this.fresh(next).kind !== 'write') next[part.flags] = flags & ~isCalled
    return this.states.add(next)
  }

  document(place: number, of = this.here): number {
    return of[part.firstStep + place * part.ofStep] ?? 0
  }

  /** Returns the number of the replaced version of a step that a cache may have, or -1 for none. */
  old(place: number): number {
    return (this.here[part.firstStep + place * part.ofStep + part.old] ?? 0) - 1
  }

  remote(place: number, of = this.here): Remote {
    return of[part.firstStep + place * part.ofStep + part.remote] ?? 0
  }

  setRemote(place: number, remote: Remote): void {
    this.next[part.firstStep + place * part.ofStep + part.remote] = remote
  }

  setDocument(place: number, document: number): void {
    this.next[part.firstStep + place * part.ofStep] = document
  }

  get isCalled(): boolean {
    return ((this.here[part.flags] ?? 0) & isCalled) !== 0
  }

  /** Returns the decision of a scheduler that sees all current documents. */
  fresh(of = this.here): Situation {
    return this.situations.at(this.freshNumber(of))
  }

  private freshNumber(of = this.here): number {
    const { view } = this
    view[0] = of[part.job] ?? 0
    for (let place = 0; place < this.stepCount; place += 1) view[place + 1] = this.document(place, of) + 1
    return this.situations.numberOf(view)
  }

  /**
   * Returns the write of a scheduler that has these versions of steps and rereads the steps it asks for, or
   * null if it writes nothing. The view has two bits for each place: 0 as stored, 1 missing, 2 replaced.
   */
  seenAs(versions: number): Writing | null {
    const { view, here } = this
    let seen = versions
    for (let rounds = 0; rounds <= this.stepCount; rounds += 1) {
      view[0] = here[part.job] ?? 0
      for (let place = 0; place < this.stepCount; place += 1) {
        const version = (seen >> (place * 2)) & 3
        view[place + 1] = version === 0 ? this.document(place) + 1 : version === 1 ? 0 : this.old(place) + 1
      }
      this.seenNumber = this.situations.numberOf(view)
      const situation = this.situations.at(this.seenNumber)
      if (situation.kind !== 'read') return situation.writing
      for (let place = 0; place < this.stepCount; place += 1) {
        if (((situation.missing >> place) & 1) !== 0) seen &= ~(3 << (place * 2))
      }
    }
    return null
  }

  movesOf(place: number): StepMoves {
    const number = this.document(place)
    return (this.moves[number] ??= stepMoves(this.tables, this.world, place, this.looked()))
  }

  /** Returns the moves on the replaced version that a cache may have. */
  movesOfOld(place: number): StepMoves {
    const steps = this.tables.stepIds.map((_id, at) => (at === place ? this.old(at) : this.document(at)))
    return (this.moves[this.old(place)] ??= stepMoves(this.tables, this.world, place, {
      job: this.here[part.job] ?? 0,
      steps,
    }))
  }

  jobMoves(of = this.here): JobMoves {
    const number = of[part.job] ?? 0
    return (this.jobs[number] ??= jobMoves(this.tables, { job: number, steps: [] }))
  }

  /** Returns the write when a handler asks for more time, in the process with the claim or in another. */
  extensionOf(place: number, holdsClaim: boolean): Writing | null {
    const { endByMs } = this.tables.jobs.at(this.here[part.job] ?? 0)
    const number = this.document(place)
    const key = `${number} ${endByMs ?? ''} ${holdsClaim}`
    const made = this.extensions.get(key)
    if (made !== undefined) return made
    const step = this.tables.steps.at(number)
    const isFree = step.claim?.token !== liveToken || step.claim.fence !== step.fence
    const token = holdsClaim || isFree ? liveToken : 'another'
    const extension = this.decisions.extend(
      step,
      { fence: step.fence, by: 'agents', token },
      { now, endByMs },
    )
    const writing =
      extension.kind === 'write'
        ? writingOf(this.tables, 'extend', this.looked(), { changed: [extension.step] })
        : null
    this.extensions.set(key, writing)
    return writing
  }

  /** Returns the write when the host of a handler stops, in the process with the claim or in another. */
  giveBackOf(place: number, holdsClaim: boolean): Writing | null {
    const number = this.document(place)
    const key = `${number} ${holdsClaim}`
    const made = this.stops.get(key)
    if (made !== undefined) return made
    const step = this.tables.steps.at(number)
    const claimant = { fence: step.fence, by: 'agents', token: holdsClaim ? liveToken : 'another' }
    // A process that may not be the first has joined the attempt.
    const given = this.decisions.giveBack(step, claimant, { now, wasCalled: true, isFirst: true })
    const writing =
      given === null ? null : writingOf(this.tables, 'giveBack', this.looked(), { changed: [given] })
    this.stops.set(key, writing)
    return writing
  }

  get commandsGiven(): number {
    return (this.here[part.flags] ?? 0) >> commandsFrom
  }

  /** Returns the write of an operator's command, or null if it is refused. */
  commandOf(name: CommandName): Writing | null {
    const key = `${name} ${this.here[part.job] ?? 0} ${this.tables.stepIds.map((_id, place) => this.document(place)).join(' ')}`
    const made = this.commands.get(key)
    if (made !== undefined) return made
    const looked = this.looked()
    const documents = documentsOf(this.tables, looked)
    const operation = this.decisions.operate({ ...documents, now }, commandOf(name, documents.job))
    const writing = operation.kind === 'write' ? writingOf(this.tables, 'operate', looked, operation) : null
    this.commands.set(key, writing)
    return writing
  }

  /** Returns the invariant that the write of a scheduler with an outdated view breaks. */
  staleProblemOf(writing: Writing): string | null {
    const seen = this.seenNumber
    const key = this.freshNumber() * 2 ** 26 + seen
    const made = this.staleProblems.get(key)
    if (made !== undefined) return made
    const from = documentsOf(this.tables, this.looked())
    const problem = problemOf(() =>
      checkWrite({ by: 'schedule', from, to: replacing(from, writing.written) }),
    )
    this.staleProblems.set(key, problem)
    return problem
  }

  /** Checks whether a write is refused because one of its documents has changed since the decision. */
  isConflict(writing: Writing): boolean {
    if (this.decisions.isWrittenWhenStale) return false
    return writing.steps.some(({ place, from }) => this.document(place) !== from)
  }

  /** Prepares the state after a write in `next`. */
  write(writing: Writing): void {
    const { next, here } = this
    next.set(here)
    if (writing.jobTo !== writing.jobFrom) next[part.job] = writing.jobTo
    for (const { place, to, old, key, isFenced, opens, isOffer, ticksLeft } of writing.steps) {
      const at = part.firstStep + place * part.ofStep
      let remote = this.remote(place)
      if (isFenced) remote = superseded(remote, key, this.world.lateCalls ? ticksLeft : -1)
      if (opens > 0) remote = opened(remote, opens)
      if (isOffer) remote = withFirstAhead(remote, true)
      next[at] = to
      next[at + part.old] = this.world.staleReads ? old + 1 : 0
      next[at + part.remote] = remote
    }
    if (writing.calls) next[part.flags] = (next[part.flags] ?? 0) | isCalled
    const isOver = this.jobMoves(next).isTerminal
    if (isOver) this.forgetOld()
  }

  private forgetOld(): void {
    for (let place = 0; place < this.stepCount; place += 1) {
      this.next[part.firstStep + place * part.ofStep + part.old] = 0
    }
  }

  countCommand(): void {
    this.next[part.flags] = (this.next[part.flags] ?? 0) + (1 << commandsFrom)
  }

  /** Returns the milliseconds until the job changes by itself, or 0 for never. */
  nextInstant(): number {
    let nextMs = this.jobMoves().nextMs
    for (let place = 0; place < this.stepCount; place += 1) {
      const { nextMs: ofStep } = this.movesOf(place)
      if (ofStep > 0 && (nextMs === 0 || ofStep < nextMs)) nextMs = ofStep
    }
    return nextMs
  }

  /** Prepares the state after this much time in `next`. */
  wait(ms: number): void {
    const { next, here } = this
    next.set(here)
    const { jobs, steps } = this.tables
    next[part.job] = this.laterOf(0, here[part.job] ?? 0, ms, (number) =>
      jobs.numberOf(laterJob(jobs.at(number), ms)),
    )
    const later = (number: number): number => steps.numberOf(laterStep(steps.at(number), ms))
    for (let place = 0; place < this.stepCount; place += 1) {
      const at = part.firstStep + place * part.ofStep
      next[at] = this.laterOf(1, this.document(place), ms, later)
      next[at + part.remote] = laterRemote(this.remote(place), ms / tickMs)
      if (this.old(place) >= 0) next[at + part.old] = this.laterOf(1, this.old(place), ms, later) + 1
    }
  }

  private laterOf(kind: 0 | 1, number: number, ms: number, make: (number: number) => number): number {
    const key = (number * 2 + kind) * mostTicks + ms / tickMs
    const known = this.later.get(key)
    if (known !== undefined) return known
    const made = make(number)
    this.later.set(key, made)
    return made
  }

  /** Returns the invariant that a state breaks, or null. */
  problem(): string | null {
    const ofDocuments = this.situations.problemOf(this.freshNumber(), this.view)
    if (ofDocuments !== null) return ofDocuments
    for (let place = 0; place < this.stepCount; place += 1) {
      const { problem } = this.movesOf(place)
      if (problem !== null) return problem
    }
    return judgeEffects(this.truth())
  }

  private truth(): Truth {
    const { job, steps } = documentsOf(this.tables, this.looked())
    const remotes = this.tables.stepIds.map((_id, place) => this.remote(place))
    return { job, steps: [...steps.values()], remotes, templates: this.templates }
  }

  looked(): Looked {
    return {
      job: this.here[part.job] ?? 0,
      steps: this.tables.stepIds.map((_id, place) => this.document(place)),
    }
  }
}

/** The end of every snooze. Roles only compare the ends of several snoozes. */
const snoozedUntil = new Date(now + 3_600_000).toISOString()

function commandOf(name: CommandName, { steps, attention }: JobDocument): OperatorCommand {
  const by = { by: 'ann', why: 'x' }
  if (name === 'snooze') return { kind: 'triage', snoozedUntil, ...by }
  if (name === 'assign') return { kind: 'triage', assignee: 'ann', ...by }
  if (name === 'release shown') return { kind: 'release', stepId: attention?.stepId ?? 'none', ...by }
  if (name !== 'edit') return { kind: name, ...by }
  const failed = Object.keys(steps).filter((stepId) => steps[stepId]?.state === 'Error')
  const named = failed.map((stepId, index) =>
    index === 0 ? { stepId, input: { edited: true } } : { stepId },
  )
  return { kind: 'resubmit', steps: named, ...by }
}

import type { Clock } from '../../platform/index.js'
import type { JobDocument } from '../model/documents.js'
import type { Arrival, GateAnswer } from './gate.js'
import type { Gatekeeper } from './gatekeeper.js'
import { GatesAtHome, type GateChange } from './gates-at-home.js'
import { homeOf } from './home.js'
import type { StateStore } from '../store/state-store.js'
import type { Visitor } from '../model/gate-documents.js'
import { withRate, type GateOfStep, type GateRate, type Turn } from '../model/gate-parts.js'
import { wholeJob } from './job-place.js'
import type { GateRequest, Pass } from './pass.js'

/** The shortest time after which a supervisor checks a step that has entered. */
const leastWithinMs = 60_000

/** The time for which an answer of the gates may be used. It is shorter than the time until the first check. */
const usableMs = 30_000

/** A step or a job that leaves its gates, with their keys. */
export interface Leaving {
  readonly visitor: Visitor
  readonly keys: readonly string[]
  /** True if the same visitor may come to these gates again, such as a parked step. Then it leaves at once. */
  readonly mayReturn?: boolean
}

interface Known {
  readonly pass: Pass
  readonly untilMs: number
}

/**
 * The answers of the gates to the steps of one job, for one decision. A step comes to its gates one after the
 * other, ordered by key. It keeps the places that it has while it waits at the next gate. It reserves times of rates
 * when it waits at no gate any more.
 */
export class Visits {
  private readonly known = new Map<string, Known>()
  private readonly clock: Clock
  private readonly atHome: GatesAtHome

  constructor(
    private readonly gates: Gatekeeper,
    by: { readonly store: StateStore; readonly clock: Clock },
  ) {
    this.clock = by.clock
    this.atHome = new GatesAtHome(gates, by)
  }

  /** The answers that may still be used. */
  get passes(): ReadonlyMap<string, Pass> {
    const now = this.clock.monotonic()
    const usable = [...this.known].filter(([, { untilMs }]) => now < untilMs)
    return new Map(usable.map(([stepId, { pass }]) => [stepId, pass]))
  }

  /** @throws StoreUnavailable if a gate could not be read or written */
  async make(job: JobDocument, requests: readonly GateRequest[]): Promise<void> {
    const untilMs = this.clock.monotonic() + usableMs
    const visit = async (request: GateRequest): Promise<void> => {
      const pass = await this.visit(job, request)
      this.known.set(request.step?.stepId ?? wholeJob, { pass, untilMs })
    }
    // Each proposal for a gate of this partition builds on the one before.
    const isAtHome = ({ gates }: GateRequest): boolean => gates.some(({ key }) => homeOf(key) !== null)
    await Promise.all(requests.filter((request) => !isAtHome(request)).map(visit))
    for (const request of requests.filter(isAtHome)) await visit(request)
  }

  /**
   * Lets steps and the job leave the gates in the partition of the job, as a part of its transaction, if this has room.
   * Returns what they leave after the transaction: the other gates.
   *
   * @throws StoreUnavailable if a gate could not be read
   */
  async leave(leaving: readonly Leaving[]): Promise<readonly Leaving[]> {
    const others: Leaving[] = []
    for (const { visitor, keys, ...rest } of leaving) {
      const later: string[] = []
      for (const key of keys) {
        if (this.isAtHome(key)) await this.atHome.leave(key, visitor)
        else later.push(key)
      }
      others.push({ ...rest, visitor, keys: later })
    }
    return others
  }

  /** Returns the changes of gates that belong to the transaction of the job. */
  changes(): readonly GateChange[] {
    return this.atHome.changes()
  }

  /** Prepares for another decision after the transaction failed. Forgets answers that were not written. */
  again(): void {
    if (!this.atHome.isUsed) return
    this.atHome.drop()
    this.known.clear()
  }

  private arrive(arrival: Arrival): Promise<GateAnswer> {
    return this.isAtHome(arrival.gate.key) ? this.atHome.arrive(arrival) : this.gates.arrive(arrival)
  }

  /** Checks whether the transaction of the job writes this gate. */
  private isAtHome(key: string): boolean {
    return homeOf(key) !== null && this.atHome.hasRoomFor(key)
  }

  private async visit(
    { pk, jobId, submittedAtMs, priority }: JobDocument,
    request: GateRequest,
  ): Promise<Pass> {
    const { step, entry, gates, reservedMs, reservedAt } = request
    const visitor = { pk, jobId, stepId: step?.stepId ?? wholeJob, entry }
    const withinMs = Math.max(step?.completeWithinMs ?? 0, leastWithinMs)
    const common = { visitor, submittedAtMs, priority, withinMs }
    const waits = (gate: GateOfStep, turn: Turn): Pass => {
      return { entry, gates, kind: 'waits', atMs: 0, reservedAt: null, waitsFor: gate.key, turn }
    }
    const rates = new Map<string, GateRate>()
    const inside = (atMs: number, key: string | null): Pass => {
      const given = gates.map((gate) => withRate(gate, rates.get(gate.key)))
      return { entry, gates: given, kind: 'inside', atMs, reservedAt: key, waitsFor: null, turn: null }
    }
    const rated: GateOfStep[] = []
    let atMs = 0
    for (const [index, gate] of gates.entries()) {
      const turn = request.waitsFor === gate.key ? request.turn : null
      const isLast = index === gates.length - 1 && rated.length === 0
      const answer = await this.arrive({ ...common, reservedMs, gate, turn, isLast })
      if (answer.kind === 'waits') return waits(gate, answer.turn)
      if (answer.isUnreserved === true) rated.push(gate)
      if (answer.rate !== undefined) rates.set(gate.key, answer.rate)
      atMs = Math.max(atMs, answer.atMs)
    }
    if (reservedAt !== null && atMs > this.clock.now()) return inside(atMs, reservedAt)
    // The step is inside all gates now, so it waits nowhere with a reserved time.
    const others = reservedAt === null ? inOrder(rated) : after(reservedAt, inOrder(gates))
    for (const gate of others) {
      const answer = await this.arrive({ ...common, reservedMs: null, gate, turn: null, isLast: true })
      if (answer.kind === 'waits') return waits(gate, answer.turn)
      if (answer.rate !== undefined) rates.set(gate.key, answer.rate)
      atMs = Math.max(atMs, answer.atMs)
      // The times of the rates that follow are reserved when this one has come. Otherwise several steps could wait for the
      // same time of one rate, with earlier times of another, and then begin together.
      if (atMs > this.clock.now()) return inside(atMs, gate === others.at(-1) ? null : gate.key)
    }
    return inside(atMs, null)
  }
}

/** Returns gates in the order in which steps reserve their times: those with the lowest rates first. */
function inOrder(gates: readonly GateOfStep[]): readonly GateOfStep[] {
  return [...gates].sort((one, other) => rateOf(one) - rateOf(other))
}

function after(key: string, gates: readonly GateOfStep[]): readonly GateOfStep[] {
  return gates.slice(gates.findIndex((gate) => gate.key === key) + 1)
}

/** Returns the rate of a limit. If only an operator has set one, the limit does not say it here, and comes last. */
function rateOf({ perSecond = Number.MAX_VALUE }: GateOfStep): number {
  return perSecond
}

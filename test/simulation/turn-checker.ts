import { rateOf } from './rate-rule.js'
import type { VersionFields } from '../../src/emulator/engine/index.js'
import { waiterAddress } from '../../src/sas/gates/home.js'
import { stepDocumentId } from '../../src/sas/model/document-ids.js'
import type { StepDocument } from '../../src/sas/model/documents.js'
import type { GateDocument, GateWaiterDocument, Visitor } from '../../src/sas/model/gate-documents.js'
import type { Checker, SimulationEvent } from '../../src/testing/events.js'
import { stateContainer } from '../../src/testing/job-fleet.js'

/** What is known about the limit of one key, from its documents and from those of its steps. */
class Limit {
  gate: GateDocument | null = null
  /** The number of steps that may be at work. After an operator has lowered it, those inside end their work. */
  allowed = 0
  /** The document ids of the steps whose attempt is dispatched and not over. */
  readonly atWork = new Set<string>()
  /** The number of waiters of each group that were called. */
  readonly called = new Map<string, number>()
  /** The steps in queues, by the document id of the waiter. */
  readonly waiting = new Map<string, Waiter>()
  dispatched = 0
  /** The times that the rate has reserved, by step and time. */
  readonly reserved = new Map<string, number>()
  /** The time since when steps wait although there is room. Null if there is no such step. */
  freeSinceMs: number | null = null
  /** The times when steps were called that still wait, by step. */
  readonly callsMs = new Map<string, number>()
  /** The document ids of the steps that are past the queue. A second waiter of such a step calls it for nothing. */
  readonly entered = new Set<string>()
}

/** A step in a queue, and what was ahead of it when it came. */
interface Waiter {
  readonly group: string
  readonly ahead: number
  readonly calledBefore: ReadonlyMap<string, number>
}

/** What the checker has seen. */
export interface Turns {
  /** The number of steps that entered a limit from a queue. */
  readonly called: number
  /** The number of attempts that were dispatched inside a limit, counted for each limit. */
  readonly dispatched: number
  /** The number of times that a rate has reserved. */
  readonly reserved: number
  /** The largest number of steps that waited at one limit. */
  readonly longestQueue: number
  /** The longest time for which a step waited although there was room. */
  readonly longestFreeMs: number
  /** The number of steps that went on only 15 s or more after they were called. */
  readonly lateCalls: number
  readonly longestCallMs: number
}

const lateCallMs = 15_000

type Watched = StepDocument | GateDocument | GateWaiterDocument | { readonly type: 'another' }

/**
 * Checks what a limit promises to the steps that share it: never more of them are at work than it allows (I25),
 * and each waiter is called in its turn (I26). It counts the steps themselves. So it also notices a place that was
 * freed while its step was at work.
 */
export class TurnChecker implements Checker {
  private readonly limits = new Map<string, Limit>()
  private longestQueue = 0
  private longestFreeMs = 0
  private lateCalls = 0
  private longestCallMs = 0

  constructor(private readonly now: () => number) {}

  get turns(): Turns {
    const { longestQueue, longestFreeMs, lateCalls, longestCallMs } = this
    const sums = { called: 0, dispatched: 0, reserved: 0 }
    for (const { called, dispatched, reserved } of this.limits.values()) {
      for (const count of called.values()) sums.called += count
      sums.dispatched += dispatched
      sums.reserved += reserved.size
    }
    return { ...sums, longestQueue, longestFreeMs, lateCalls, longestCallMs }
  }

  check(event: SimulationEvent): readonly string[] {
    if (event.type !== 'written' || event.container !== stateContainer || event.after === null) return []
    const after = parsed(event.after)
    if (after.type === 'sas.gate') return this.gate(after)
    if (after.type === 'sas.waiter') return event.before === null ? this.joined(after) : this.served(after)
    return after.type === 'sas.step' ? this.step(event.before, after) : []
  }

  /** Returns what is wrong when no job is under way any more. */
  left(): readonly string[] {
    return [...this.limits].flatMap(([key, { waiting, atWork, gate, reserved }]) => {
      const problems: string[] = []
      if (waiting.size > 0) problems.push(`I26: ${waiting.size} steps are left at limit ${key}`)
      if (atWork.size > 0) problems.push(`I25: ${atWork.size} steps are still at work at limit ${key}`)
      const { perSecond = Infinity, burst = 1 } = gate?.rules ?? {}
      const times = [...reserved.values()].sort((one, other) => one - other)
      // In any second and a burst, no more attempts begin than the rate allows. Each time is rounded to a millisecond.
      const most = Math.ceil(perSecond) + burst
      const close = times.find((time, index) => time - (times[index - most] ?? -Infinity) < 1_000 - 1)
      if (close !== undefined) problems.push(`too many attempts of limit ${key} have times before ${close}`)
      return problems
    })
  }

  private limit(key: string): Limit {
    const known = this.limits.get(key)
    if (known !== undefined) return known
    const limit = new Limit()
    this.limits.set(key, limit)
    return limit
  }

  /** Finds the limit of a waiter. The partition of jobs may hold several limits. */
  private limitOf(waiter: GateWaiterDocument): Limit | undefined {
    return [...this.limits.values()].find(({ gate }) => {
      return gate?.pk === waiter.pk && waiterAddress(gate.key, waiter).id === waiter.id
    })
  }

  private gate(gate: GateDocument): readonly string[] {
    const limit = this.limit(gate.key)
    const { gate: before } = limit
    limit.gate = gate
    limit.allowed = Math.max(atOnceOf(gate), Math.min(limit.allowed, gate.holders.length))
    this.noteRoom(limit, gate)
    if (before === null) return []
    const isPassedOver = before.lanes.some(({ group, next }) => {
      const lane = gate.lanes.find((each) => each.group === group)
      return lane !== undefined && lane.first < next
    })
    const known = new Set(before.holders.map(nameOf))
    const come = gate.holders.filter((holder) => holder.isCalled !== true && !known.has(nameOf(holder)))
    // While others wait, a step enters only from the front of a queue.
    return isPassedOver
      ? come.map((holder) => `I26: ${nameOf(holder)} passed over the queue of limit ${gate.key}`)
      : []
  }

  private noteRoom(limit: Limit, gate: GateDocument): void {
    const { freeSinceMs } = limit
    const isFree = gate.lanes.length > 0 && gate.holders.length < atOnceOf(gate)
    if (freeSinceMs !== null) this.longestFreeMs = Math.max(this.longestFreeMs, this.now() - freeSinceMs)
    limit.freeSinceMs = isFree ? (freeSinceMs ?? this.now()) : null
  }

  private joined(joining: GateWaiterDocument): readonly string[] {
    const { id, pk, group, number } = joining
    const limit = this.limitOf(joining)
    const lanes = limit?.gate?.lanes ?? []
    const first = lanes.find((lane) => lane.group === group)?.first
    if (limit === undefined || first === undefined) return [`I26: ${id} of ${pk} is in no queue`]
    const length = lanes.reduce((sum, lane) => sum + lane.next - lane.first, 0)
    this.longestQueue = Math.max(this.longestQueue, length)
    limit.waiting.set(id, { group, ahead: number - first, calledBefore: new Map(limit.called) })
    return []
  }

  /** Compares the calls since the waiter came with what was ahead of it. */
  private served(leaving: GateWaiterDocument): readonly string[] {
    const { id, pk, visitor } = leaving
    const limit = this.limitOf(leaving)
    const waiter = limit?.waiting.get(id)
    if (limit === undefined || waiter === undefined) return [`I26: ${id} of ${pk} was called twice`]
    limit.waiting.delete(id)
    const stepId = stepDocumentId(visitor.jobId, visitor.stepId)
    if (!limit.entered.has(stepId)) limit.callsMs.set(stepId, this.now())
    const { group, ahead, calledBefore } = waiter
    const problems = [...limit.called].flatMap(([other, count]) => {
      const since = count - (calledBefore.get(other) ?? 0)
      // Its own group comes in order. Each other group has at most one turn before each turn of its group.
      const isRight = other === group ? since === ahead : since <= ahead + 1
      const what = `${since} steps of ${other} were called before ${id} of ${pk}`
      return isRight ? [] : [`I26: ${what}, which came with ${ahead} of ${group} ahead of it`]
    })
    limit.called.set(group, (limit.called.get(group) ?? 0) + 1)
    return problems
  }

  /** Notes whether a step has still to enter, and that it goes on, if it was called before. */
  private noteCall({ callsMs, entered }: Limit, id: string, hasEntered: boolean): void {
    if (!hasEntered) {
      entered.delete(id)
      return
    }
    entered.add(id)
    const tookMs = this.now() - (callsMs.get(id) ?? this.now())
    callsMs.delete(id)
    this.longestCallMs = Math.max(this.longestCallMs, tookMs)
    if (tookMs >= lateCallMs) this.lateCalls += 1
  }

  private step(before: VersionFields | null, after: StepDocument): readonly string[] {
    const { id, limits, direction, dispatch, lockedBy } = after
    if (limits === undefined) return []
    const was = before === null ? null : (parsed(before) as StepDocument)
    const place = after.place ?? was?.place
    const isAtWork = lockedBy !== null && direction === 'do'
    const isDispatch = isAtWork && dispatch > (was?.dispatch ?? 0)
    const gates = place?.gates ?? []
    const rate = place === undefined ? null : rateOf(place)
    const waitsAt = gates.findIndex(({ key }) => key === after.place?.waitsFor)
    return gates.flatMap(({ key }, index) => {
      const limit = this.limit(key)
      const reservedMs = after.place?.reservedMs ?? null
      if (reservedMs !== null && rate === key) limit.reserved.set(`${id} ${reservedMs}`, reservedMs)
      if (!isAtWork) limit.atWork.delete(id)
      this.noteCall(limit, id, waitsAt === -1 || index < waitsAt)
      if (!isDispatch) return []
      limit.dispatched += 1
      limit.atWork.add(id)
      const { size } = limit.atWork
      return size <= limit.allowed
        ? []
        : [`I25: ${size} steps are at work at limit ${key}, not ${limit.allowed}`]
    })
  }
}

function parsed({ text }: VersionFields): Watched {
  return JSON.parse(text) as Watched
}

function rulesOf(gate: GateDocument | null): GateDocument['rules'] {
  return gate?.operated ?? gate?.rules ?? {}
}

function atOnceOf(gate: GateDocument): number {
  return rulesOf(gate).atOnce ?? Infinity
}

function nameOf({ pk, jobId, stepId, entry }: Visitor): string {
  return JSON.stringify([pk, jobId, stepId, entry])
}

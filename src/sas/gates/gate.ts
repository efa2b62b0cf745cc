import {
  continuingSchema,
  limitedJobSchema,
  partitionLimitSchema,
  priorityGateSchema,
} from '../model/documents.js'
import type { GateDocument, GateWaiterDocument, Holder, Visitor } from '../model/gate-documents.js'
import type { GateOfStep, GateRate, Turn } from '../model/gate-parts.js'
import { gateAddress, homeOf, isLimitOfJobs, waiterAddress } from './home.js'
import { isQueued, nextTurns, withWaiter } from './queues.js'
import { rulesOf } from './rules-in-force.js'
import type { Standing } from './standing.js'

/** A step that comes to a gate. */
export interface Arrival {
  readonly visitor: Visitor
  readonly gate: GateOfStep
  /** The submission of the job, in milliseconds since the epoch. The newest job decides the rules. */
  readonly submittedAtMs: number
  /** The priority of the job, which counts among the waiters of a group. */
  readonly priority: number
  /** The time after which a supervisor checks that the step is at work. */
  readonly withinMs: number
  /** The place of the step in a queue of the gate, or null. */
  readonly turn: Turn | null
  /** The time that the rate has already reserved for the attempt, or null. */
  readonly reservedMs: number | null
  /** False if the step may still have to wait at another gate, so that no time of the rate is reserved yet. */
  readonly isLast: boolean
}

/** The answer of a gate to a step. */
export type GateAnswer =
  /**
   * The step is inside. Its attempt may begin at `atMs`. `rate` is the rate that gave this time, missing if the time was given
   * before. `isUnreserved` says that the rate has reserved no time yet.
   */
  | {
      readonly kind: 'inside'
      readonly atMs: number
      readonly rate?: GateRate
      readonly isUnreserved?: true
    }
  | { readonly kind: 'waits'; readonly turn: Turn }

/** The time within which a step that is called from the queue must know that it has entered. */
export const calledWithinMs = 30_000

/** The time for which a gate is kept at which no step is, in seconds. */
const emptyGateTtl = 86_400

/** The time for which the document of a served waiter is kept, in seconds. */
const servedTtl = 60

/** Returns a gate at which no step is. */
export function emptyGate(key: string, now: number): GateDocument {
  return {
    ...gateAddress(key),
    type: 'sas.gate',
    schema: continuingSchema,
    key,
    rules: {},
    rulesOfMs: 0,
    operated: null,
    holders: [],
    lanes: [],
    // The waiters of an earlier gate of this key had smaller numbers.
    nextNumber: Math.floor(now),
    busyUntilMs: 0,
    completeByMs: null,
    ttl: emptyGateTtl,
  }
}

/** Returns the gate with the rules of the arriving step if no newer job has set them. */
export function ruledBy(gate: GateDocument, { gate: { atOnce, perSecond, burst }, submittedAtMs }: Arrival) {
  if (submittedAtMs < gate.rulesOfMs) return gate
  const rules = {
    ...(atOnce !== undefined && { atOnce }),
    ...(perSecond !== undefined && { perSecond }),
    ...(burst !== undefined && { burst }),
  }
  const isSame =
    rules.atOnce === gate.rules.atOnce &&
    rules.perSecond === gate.rules.perSecond &&
    rules.burst === gate.rules.burst
  return isSame ? gate : { ...gate, rules, rulesOfMs: submittedAtMs }
}

/** Returns the gate with a step from its queue inside. */
export function called(gate: GateDocument, visitor: Visitor, now: number): GateDocument {
  if (holderOf(gate, visitor) !== undefined) return gate
  const holder = { ...visitor, untilMs: now + calledWithinMs, isCalled: true }
  return { ...gate, holders: [...gate.holders, holder] }
}

/** The answer to an arrival, and the gate after it. `waiter` is a document to create, or null. */
export interface Arrived {
  readonly gate: GateDocument
  readonly waiter: GateWaiterDocument | null
  readonly answer: GateAnswer
}

/**
 * Decides about one arriving step. A step that is inside stays inside. Another step enters if there is room and
 * no step waits (I25), or it joins the queue of its group.
 */
export function arrive(gate: GateDocument, arrival: Arrival, now: number): Arrived {
  const { visitor, withinMs } = arrival
  if (holderOf(gate, visitor) !== undefined) return entered(awaitedNoMore(gate, arrival, now), arrival, now)
  const { turn } = arrival
  if (turn !== null && isQueued(gate, turn)) return { gate, waiter: null, answer: { kind: 'waits', turn } }
  const { atOnce } = rulesOf(gate)
  if (atOnce === undefined) return entered(gate, arrival, now)
  if (gate.lanes.length > 0 || gate.holders.length >= atOnce) return queued(gate, arrival, now)
  const holder = { ...visitor, untilMs: now + withinMs }
  return entered({ ...gate, holders: [...gate.holders, holder] }, arrival, now)
}

/** Reserves the time of the attempt by the rate of the gate. */
function entered(gate: GateDocument, { reservedMs, isLast }: Arrival, now: number): Arrived {
  const rate = rulesOf(gate)
  const { perSecond, burst = Math.max(1, Math.ceil(perSecond ?? 1)) } = rate
  const inside = (atMs: number, after: GateDocument): Arrived => {
    return { gate: after, waiter: null, answer: { kind: 'inside', atMs, rate } }
  }
  if (reservedMs !== null) return { gate, waiter: null, answer: { kind: 'inside', atMs: reservedMs } }
  if (perSecond === undefined) return inside(now, gate)
  if (!isLast) return { gate, waiter: null, answer: { kind: 'inside', atMs: now, isUnreserved: true } }
  const intervalMs = 1_000 / perSecond
  const busyUntilMs = Math.max(gate.busyUntilMs, now)
  const atMs = Math.max(now, Math.ceil(busyUntilMs - (burst - 1) * intervalMs))
  return inside(atMs, { ...gate, busyUntilMs: busyUntilMs + intervalMs })
}

function queued(before: GateDocument, { visitor, gate: { group }, priority }: Arrival, now: number): Arrived {
  const { gate, turn } = withWaiter(before, { group, priority })
  const waiter: GateWaiterDocument = {
    ...waiterAddress(gate.key, turn),
    type: 'sas.waiter',
    schema: continuingSchema,
    visitor,
    ...turn,
    sinceMs: now,
    ttl: -1,
  }
  return { gate, waiter, answer: { kind: 'waits', turn } }
}

/** Returns the gate with a later check of a step that comes again after a supervisor has missed it. */
function awaitedNoMore(gate: GateDocument, { visitor, withinMs }: Arrival, now: number): GateDocument {
  if (holderOf(gate, visitor)?.isAwaited !== true) return gate
  return checkedLater(gate, { visitor, untilMs: now + withinMs, standing: 'underWay' })
}

/** Returns the gate without a step that has left it. A step whose next check is later than `dueMs` stays inside. */
export function left(gate: GateDocument, visitor: Visitor, dueMs = Infinity): GateDocument {
  const holder = holderOf(gate, visitor)
  return holder === undefined || holder.untilMs > dueMs
    ? gate
    : { ...gate, holders: gate.holders.filter((each) => each !== holder) }
}

/** The next check of a step inside a gate, and how it stood to the gate at this one. */
export interface Check {
  readonly visitor: Visitor
  readonly untilMs: number
  readonly standing: Exclude<Standing, 'gone'>
}

/**
 * Returns the gate with a later check of a step that is still inside. A called step stays called until a check finds
 * that it has entered. One look is not enough, because it may see an old version of the step.
 */
export function checkedLater(gate: GateDocument, { visitor, untilMs, standing }: Check): GateDocument {
  const holder = holderOf(gate, visitor)
  if (holder === undefined) return gate
  const { isCalled = false, isAwaited: _isAwaited, ...known } = holder
  const later = {
    ...known,
    untilMs,
    ...(isCalled && standing !== 'inside' && { isCalled }),
    ...(standing === 'coming' && { isAwaited: true }),
  }
  return { ...gate, holders: gate.holders.map((each) => (each === holder ? later : each)) }
}

export function holderOf({ holders }: GateDocument, visitor: Visitor): Holder | undefined {
  return holders.find((holder) => isSame(holder, visitor))
}

function isSame(one: Visitor, other: Visitor): boolean {
  return (
    one.entry === other.entry &&
    one.stepId === other.stepId &&
    one.jobId === other.jobId &&
    one.pk === other.pk
  )
}

/**
 * Returns the gate with the time of its next check. A step that has ended in silence matters only while others
 * wait. A called step matters until it is known to have entered.
 */
export function withNextCheck(gate: GateDocument, now: number): GateDocument {
  const { key, holders, lanes, operated } = gate
  const checked = lanes.length > 0 ? holders : holders.filter(({ isCalled }) => isCalled)
  const times = checked.map(({ untilMs }) => untilMs)
  // One write calls only some of the waiters that may enter, so the others are still due.
  if (nextTurns(gate).turns.length > 0) times.push(now)
  const completeByMs = times.length === 0 ? null : Math.min(...times)
  const isEmpty = holders.length === 0 && lanes.length === 0 && operated === null
  const hasPriorities = lanes.some(({ priority }) => priority !== undefined)
  const isOfJobs = isLimitOfJobs(key)
  const ofWaiters = hasPriorities ? priorityGateSchema : isOfJobs ? limitedJobSchema : continuingSchema
  const schema = homeOf(key) === null ? ofWaiters : partitionLimitSchema
  return { ...gate, schema, completeByMs, ttl: isEmpty ? emptyGateTtl : -1 }
}

/** Returns the document of a waiter that has been served. The store removes it soon. */
export function served(waiter: GateWaiterDocument): GateWaiterDocument {
  return { ...waiter, ttl: servedTtl }
}

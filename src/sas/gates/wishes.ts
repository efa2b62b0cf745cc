import type { Clock } from '../../platform/index.js'
import type { GateDocument, GateWaiterDocument, LimitDecision, Visitor } from '../model/gate-documents.js'
import { replacing, type StateStore, type StateWrite } from '../store/state-store.js'
import {
  arrive,
  called,
  checkedLater,
  left,
  ruledBy,
  served,
  withNextCheck,
  type Arrival,
  type Check,
  type GateAnswer,
} from './gate.js'
import { keptDecisions } from './limit-decisions.js'
import { nextTurns } from './queues.js'
import { readWaiter } from './stored-gate.js'

/** A change of the gate's document that one caller wants. */
export type Wish =
  | { readonly kind: 'arrive'; readonly arrival: Arrival }
  /** Frees the place of a visitor. If `dueMs` is given, only if the visitor's check is not later. */
  | { readonly kind: 'leave'; readonly visitor: Visitor; readonly dueMs?: number }
  | ({ readonly kind: 'checkLater' } & Check)
  /** Calls waiters that are still due. */
  | { readonly kind: 'rule' }
  /** Carries out a decision of an operator about the rules, and keeps it. */
  | { readonly kind: 'decide'; readonly made: LimitDecision }

export interface WishResult {
  readonly gate: GateDocument
  /** The answer to an arrival. Null for the other wishes. */
  readonly answer: GateAnswer | null
}

export interface Decided {
  readonly gate: GateDocument
  readonly results: readonly WishResult[]
  /** The writes besides that of the gate. Null if nothing changes. */
  readonly writes: readonly StateWrite[] | null
  /** The steps that come from the queue. */
  readonly called: readonly Visitor[]
}

/**
 * Returns the rules of an operator after a decision, or null if the rules of the workflows apply. The same decision
 * may come twice, because an answer can be lost.
 */
function operatedBy(
  { command, ...terms }: LimitDecision,
  present: GateDocument['operated'],
): GateDocument['operated'] {
  if (command === 'set') return terms
  if (command === 'clear') return null
  const isPaused = present?.atOnce === 0
  const before = isPaused ? (present.before ?? null) : present
  return command === 'resume' ? before : { ...terms, before }
}

function creating(document: GateWaiterDocument): StateWrite {
  return { kind: 'create', document }
}

export interface DecidingBy {
  readonly store: StateStore
  readonly clock: Clock
  /** The largest number of waiters that are called. Default: as many as may enter and fit into a transaction. */
  readonly maxCalls?: number
}

/** Decides about wishes, in an order in which the rules are known first and places are freed before others come. */
export async function decideWishes(
  before: GateDocument,
  wishes: readonly Wish[],
  { store, clock, maxCalls }: DecidingBy,
): Promise<Decided> {
  const now = clock.now()
  let gate = before
  for (const wish of wishes) {
    if (wish.kind === 'arrive') gate = ruledBy(gate, wish.arrival)
    else if (wish.kind === 'leave') gate = left(gate, wish.visitor, wish.dueMs)
    else if (wish.kind === 'checkLater') gate = checkedLater(gate, wish)
    else if (wish.kind === 'decide') gate = { ...gate, operated: operatedBy(wish.made, gate.operated) }
  }
  const next = nextTurns(gate, maxCalls)
  gate = next.gate
  const waiters = await Promise.all(next.turns.map((turn) => readWaiter(store, before.key, turn)))
  const made = wishes.flatMap((wish) => (wish.kind === 'decide' ? [wish.made] : []))
  const writes: StateWrite[] = [...(await keptDecisions(store, before.key, made))]
  const calls: Visitor[] = []
  for (const waiter of waiters) {
    if (waiter === null) continue
    gate = called(gate, waiter.visitor, now)
    calls.push(waiter.visitor)
    writes.push(replacing(waiter, served(waiter)))
  }
  const answers = wishes.map((wish): GateAnswer | null => {
    if (wish.kind !== 'arrive') return null
    const arrived = arrive(gate, wish.arrival, now)
    gate = arrived.gate
    if (arrived.waiter !== null) writes.push(creating(arrived.waiter))
    return arrived.answer
  })
  const isChanged = gate !== before || writes.length > 0
  if (isChanged) gate = withNextCheck(gate, now)
  const results = answers.map((answer) => ({ gate, answer }))
  return { gate, results, writes: isChanged ? writes : null, called: calls }
}

import type { GateDocument, Lane } from '../model/gate-documents.js'
import type { Turn } from '../model/gate-parts.js'
import { rulesOf } from './rules-in-force.js'

/** The largest number of queues of a gate. Further groups and priorities share the queues. */
const maxLanes = 100

/** The largest number of waiters that enter with one write. Their documents are in the same transaction. */
const maxTurns = 40

/** After this number of turns of its group that went to other priorities, a queue comes next. */
export const maxPassed = 4

/**
 * Returns the waiters that may enter now, and the gate without them in its queues. The groups take turns. Within a
 * group, the highest priority comes first, but no queue is passed over for long (I41). Within a queue, the first
 * waiter comes first (I26).
 */
export function nextTurns(
  gate: GateDocument,
  most = maxTurns,
): {
  readonly gate: GateDocument
  readonly turns: readonly Turn[]
} {
  const free = (rulesOf(gate).atOnce ?? Infinity) - gate.holders.length
  let { lanes } = gate
  const turns: Turn[] = []
  while (turns.length < Math.min(free, most)) {
    const next = nextLane(lanes)
    if (next === undefined) break
    turns.push({ group: next.group, number: next.first, ...priorityOf(next) })
    lanes = servedLanes(lanes, next)
  }
  return { gate: turns.length === 0 ? gate : { ...gate, lanes }, turns }
}

/** Returns the queue of the group at the front that comes next. */
function nextLane(lanes: readonly Lane[]): Lane | undefined {
  const [front] = lanes
  if (front === undefined) return undefined
  const ofGroup = lanes.filter(({ group }) => group === front.group)
  const overdue = ofGroup.filter(({ passed = 0 }) => passed >= maxPassed)
  const rank = ({ priority = 0, passed = 0 }: Lane): readonly [number, number] =>
    overdue.length > 0 ? [passed, priority] : [priority, 0]
  return (overdue.length > 0 ? overdue : ofGroup).reduce((best, lane) => {
    const [one, other] = [rank(lane), rank(best)]
    return one[0] > other[0] || (one[0] === other[0] && one[1] > other[1]) ? lane : best
  })
}

/** Counts the waiters that are called before a turn. Returns null if the turn is in no queue. */
export function turnsBefore(gate: GateDocument, turn: Turn): number | null {
  if (!isQueued(gate, turn)) return null
  let { lanes } = gate
  for (let count = 0; ; count += 1) {
    const next = nextLane(lanes)
    if (next === undefined) return null
    const isIt = next.group === turn.group && next.priority === turn.priority && next.first === turn.number
    if (isIt) return count
    lanes = servedLanes(lanes, next)
  }
}

/** Returns the queues after the first waiter of one of them. Its group moves to the end. */
function servedLanes(lanes: readonly Lane[], served: Lane): Lane[] {
  const { passed: _passed, ...rest } = served
  const left = served.first + 1 < served.next ? [{ ...rest, first: served.first + 1 }] : []
  const others = lanes.filter(({ group }) => group !== served.group)
  const ofGroup = lanes
    .filter((lane) => lane.group === served.group && lane !== served)
    .map((lane) => ({ ...lane, passed: (lane.passed ?? 0) + 1 }))
  return [...others, ...ofGroup, ...left]
}

/** Returns the gate with one more waiter in the queue of its group and priority, and the waiter's turn. */
export function withWaiter(
  gate: GateDocument,
  wanted: { readonly group: string; readonly priority: number },
): { readonly gate: GateDocument; readonly turn: Turn } {
  const { lanes, nextNumber } = gate
  const known = laneFor(lanes, wanted)
  const priority = wanted.priority === 0 ? {} : { priority: wanted.priority }
  const lane = known ?? { group: wanted.group, first: nextNumber, next: nextNumber, ...priority }
  const longer = { ...lane, next: lane.next + 1 }
  return {
    gate: {
      ...gate,
      lanes: known === undefined ? [...lanes, longer] : lanes.map((each) => (each === known ? longer : each)),
      nextNumber: Math.max(nextNumber, lane.next) + 1,
    },
    turn: { group: lane.group, number: lane.next, ...priorityOf(lane) },
  }
}

/** Returns the queue that a step joins: its own, or one of the others if there are too many queues. */
function laneFor(
  lanes: readonly Lane[],
  { group, priority }: { readonly group: string; readonly priority: number },
): Lane | undefined {
  const own = lanes.find((lane) => lane.group === group && (lane.priority ?? 0) === priority)
  if (own !== undefined || lanes.length < maxLanes) return own
  let sum = 0
  for (const character of group) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003
  return lanes.find((lane) => lane.group === group) ?? lanes[sum % lanes.length]
}

/** Checks whether a turn is still in its queue. */
export function isQueued({ lanes }: GateDocument, { group, number, priority = 0 }: Turn): boolean {
  return lanes.some((lane) => {
    const isLane = lane.group === group && (lane.priority ?? 0) === priority
    return isLane && lane.first <= number && number < lane.next
  })
}

function priorityOf({ priority }: Lane): { readonly priority?: number } {
  return priority === undefined ? {} : { priority }
}

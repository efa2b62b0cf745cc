import { middleOf, tolerance, type Edge } from './edge.js'
import type { Effort } from '../../language/effort.js'
import { difference, lengthOfVector, type Vector } from './vector.js'

/** How many times longer a visit takes than the first check of a pair. */
const costOfVisit = 10

/** An edge and a ball that contains it. */
interface Item<E extends Edge> {
  readonly edge: E
  /**
   * The list of the edge. `someClosePair` pairs only edges of different lists. Otherwise there is one list.
   */
  readonly side: 0 | 1
  readonly centre: Vector
  readonly radius: number
}

/** Receives two edges that may meet. Returns true to stop the search. */
type Visit<E extends Edge> = (edge: E, other: E) => boolean

/**
 * Visits the pairs of edges that may meet, one edge from each list. Stops when the visitor returns true.
 * Returns whether it stopped.
 */
export function someClosePair<E extends Edge>(
  edges: readonly E[],
  others: readonly E[],
  effort: Effort,
  visit: Visit<E>,
): boolean {
  const items = [...edges.map((edge) => itemOf(edge, 0)), ...others.map((edge) => itemOf(edge, 1))]
  const active: [Item<E>[], Item<E>[]] = [[], []]
  return sweep(items, effort, {
    visit: (item, other) => (item.side === 0 ? visit(item.edge, other.edge) : visit(other.edge, item.edge)),
    own: ({ side }) => active[side],
    rivals: ({ side }) => active[side === 0 ? 1 : 0],
  })
}

/** Like `someClosePair`, but visits pairs of edges within one list. */
export function someClosePairWithin<E extends Edge>(
  edges: readonly E[],
  effort: Effort,
  visit: Visit<E>,
): boolean {
  const active: Item<E>[] = []
  return sweep(
    edges.map((edge) => itemOf(edge, 0)),
    effort,
    { visit: (item, other) => visit(item.edge, other.edge), own: () => active, rivals: () => active },
  )
}

function itemOf<E extends Edge>(edge: E, side: 0 | 1): Item<E> {
  const centre = middleOf(edge.start, edge.end)
  return { edge, side, centre, radius: lengthOfVector(difference(edge.start, centre)) + 2 * tolerance }
}

interface Sweep<E extends Edge> {
  readonly visit: (item: Item<E>, other: Item<E>) => boolean
  readonly own: (item: Item<E>) => Item<E>[]
  readonly rivals: (item: Item<E>) => Item<E>[]
}

/** Sweeps along one axis, so that edges that are far from each other are not compared. */
function sweep<E extends Edge>(items: Item<E>[], effort: Effort, { visit, own, rivals }: Sweep<E>): boolean {
  const axis = widestAxis(items)
  const low = ({ centre, radius }: Item<E>): number => centre[axis] - radius
  items.sort((left, right) => low(left) - low(right))
  for (const item of items) {
    const reached = low(item)
    const others = rivals(item)
    effort.spend(others.length)
    let kept = 0
    for (const other of others) {
      if (other.centre[axis] + other.radius < reached) continue
      others[kept] = other
      kept += 1
      if (!areNear(item, other)) continue
      effort.spend(costOfVisit)
      if (visit(item, other)) return true
    }
    others.length = kept
    own(item).push(item)
  }
  return false
}

function areNear<E extends Edge>(left: Item<E>, right: Item<E>): boolean {
  const between = difference(left.centre, right.centre)
  const reach = left.radius + right.radius
  return between[0] * between[0] + between[1] * between[1] + between[2] * between[2] <= reach * reach
}

/** Returns the axis along which the edges lie farthest apart. */
function widestAxis(items: readonly Item<Edge>[]): 0 | 1 | 2 {
  const [x, y, z] = [spreadOf(items, 0), spreadOf(items, 1), spreadOf(items, 2)]
  return x >= y && x >= z ? 0 : y >= z ? 1 : 2
}

function spreadOf(items: readonly Item<Edge>[], axis: 0 | 1 | 2): number {
  let low = Infinity
  let high = -Infinity
  for (const { centre } of items) {
    low = Math.min(low, centre[axis])
    high = Math.max(high, centre[axis])
  }
  return high - low
}

import { angleAlong, areClose, isOn, lengthOf, meetingsOf, middleOf, tolerance } from './edge.js'
import { someClosePair } from './edge-pairs.js'
import type { Effort } from '../../language/effort.js'
import { isInside } from './region.js'
import type { PathEdge, Shape } from './shape.js'
import { dot, type Vector } from './vector.js'

/** Checks whether two shapes have at least one place in common. */
export function intersects(shape: Shape, other: Shape, effort: Effort): boolean {
  if (someClosePair(shape.edges, other.edges, effort, (edge, met) => meetingsOf(edge, met).length > 0))
    return true
  return hasPathInside(shape, other, effort) || hasPathInside(other, shape, effort)
}

/** Checks whether a path of a shape lies in an area of another. The edges of the two shapes must not meet. */
function hasPathInside({ paths }: Shape, other: Shape, effort: Effort): boolean {
  return paths.some(([first]) => first !== undefined && isInAnyRegion(first.start, other, effort))
}

function isInAnyRegion(place: Vector, { regions, edges }: Shape, effort: Effort): boolean {
  if (regions.length === 0) return false
  effort.spend(edges.length)
  return regions.some((region) => isInside(place, region))
}

/**
 * Checks whether a shape lies in another one, and not only on its boundary. The boundary of a polygon
 * consists of its rings, and the boundary of a line consists of its ends.
 */
export function isWithin(shape: Shape, other: Shape, effort: Effort): boolean {
  if (shape.dimension > other.dimension) return false
  const locations = locationsOf(shape, other, effort)
  if (locations.has('outside')) return false
  if (other.dimension === 0 || (other.dimension === 1 && shape.dimension === 1)) return true
  if (other.dimension === 1) return !isEndOf(shape, other)
  if (shape.dimension < 2) return locations.has('inside')
  return !locations.has('opposite boundary') && !locationsOf(other, shape, effort).has('inside')
}

/** Checks whether a point is the first or the last place of a line that is not closed. */
function isEndOf({ edges: [point] }: Shape, { edges: line }: Shape): boolean {
  const [start, end] = [line[0]?.start, line.at(-1)?.end]
  if (point === undefined || start === undefined || end === undefined || areClose(start, end)) return false
  return areClose(point.start, start) || areClose(point.start, end)
}

/**
 * Where a part of an edge lies, as seen from another shape. At an opposite boundary, the two areas share an
 * edge but lie on different sides of it.
 */
type Location = 'inside' | 'boundary' | 'opposite boundary' | 'outside'

/**
 * Returns all locations of a shape's edges, as seen from another shape. Each edge is cut where it meets an
 * edge of the other shape, because its location can change only there.
 */
function locationsOf(shape: Shape, other: Shape, effort: Effort): ReadonlySet<Location> {
  const found = meetingPlaces(shape, other, effort)
  const locations = new Set<Location>()
  for (const path of shape.paths) {
    let isKnown = false
    for (const edge of path) {
      const met = found.get(edge)
      if (met === undefined && isKnown) continue
      isKnown = true
      for (const place of middlesOf(edge, met?.places ?? [])) {
        locations.add(locate({ place, edge, met: met?.edges ?? [] }, other, effort))
      }
    }
  }
  return locations
}

/** The places in which an edge meets edges of another shape, and these edges. */
interface Meetings {
  readonly places: Vector[]
  readonly edges: PathEdge[]
}

function meetingPlaces(shape: Shape, other: Shape, effort: Effort): ReadonlyMap<PathEdge, Meetings> {
  const found = new Map<PathEdge, Meetings>()
  someClosePair(shape.edges, other.edges, effort, (edge, met) => {
    const places = meetingsOf(edge, met)
    if (places.length === 0) return false
    const known = found.get(edge) ?? { places: [], edges: [] }
    known.places.push(...places)
    known.edges.push(met)
    found.set(edge, known)
    return false
  })
  return found
}

/** Returns the middle of each part of an edge that is cut at the given places. */
function middlesOf(edge: PathEdge, places: readonly Vector[]): readonly Vector[] {
  const length = lengthOf(edge)
  if (length <= tolerance) return [edge.start]
  const cuts = [
    ...places.map((place) => ({ place, angle: angleAlong(edge, place) })),
    { place: edge.end, angle: length },
  ]
  cuts.sort((left, right) => left.angle - right.angle)
  const middles: Vector[] = []
  let last = { place: edge.start, angle: 0 }
  for (const cut of cuts) {
    if (cut.angle - last.angle <= 2 * tolerance) continue
    middles.push(middleOf(last.place, cut.place))
    last = cut
  }
  return middles
}

/** The middle of a part of an edge, and the edges of the other shape that may contain it. */
interface Part {
  readonly place: Vector
  readonly edge: PathEdge
  readonly met: readonly PathEdge[]
}

function locate({ place, edge, met }: Part, other: Shape, effort: Effort): Location {
  effort.spend(met.length)
  const shared = met.filter((candidate) => isOn(place, candidate))
  if (shared.length === 0) return isInAnyRegion(place, other, effort) ? 'inside' : 'outside'
  return shared.some(({ normal }) => dot(normal, edge.normal) >= 0) ? 'boundary' : 'opposite boundary'
}

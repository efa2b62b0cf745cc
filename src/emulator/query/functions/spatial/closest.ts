import { angleAlong, closestOn, lengthOf, placeAlong, type Edge } from './edge.js'
import type { Effort } from '../../language/effort.js'
import { metresBetween } from './ellipsoid.js'
import { intersects } from './relations.js'
import type { Shape } from './shape.js'
import { angleBetween, difference, lengthOfVector, placeOf, type Vector } from './vector.js'

/** A place and an edge that are close to each other on the sphere. */
interface Candidate {
  readonly place: Vector
  readonly edge: Edge
  readonly distance: number
}

/**
 * The edge that is closest on the ellipsoid may not be the closest on the sphere. On the sphere, its distance
 * is at most this factor times the shortest distance.
 */
const margin = 1.01

/** The most candidates whose distance is computed on the ellipsoid. */
const mostCandidates = 16

/** Returns the shortest distance between two shapes in metres. */
export function shortestDistance(shape: Shape, other: Shape, effort: Effort): number {
  if (intersects(shape, other, effort)) return 0
  effort.spend(5 * shape.edges.length * other.edges.length)
  const candidates = [...candidatesOf(shape, other), ...candidatesOf(other, shape)]
  candidates.sort((left, right) => left.distance - right.distance)
  const reach = (candidates[0]?.distance ?? 0) * margin
  const close = candidates.slice(0, mostCandidates).filter(({ distance }) => distance <= reach)
  return Math.min(...close.map(refined))
}

/** Pairs each place of one shape with edges of the other shape. Returns the pairs that may be the closest. */
function candidatesOf(shape: Shape, { edges }: Shape): readonly Candidate[] {
  let candidates: Candidate[] = []
  let reach = Infinity
  for (const place of placesOf(shape)) {
    for (const edge of edges) {
      const distance = lengthOfVector(difference(place, closestOn(edge, place)))
      if (distance > reach) continue
      candidates.push({ place, edge, distance })
      reach = Math.min(reach, distance * margin)
    }
    if (candidates.length <= 4 * mostCandidates) continue
    candidates.sort((left, right) => left.distance - right.distance)
    candidates = candidates.slice(0, mostCandidates)
  }
  return candidates
}

/** Yields the ends of all edges. */
function* placesOf({ paths }: Shape): Generator<Vector, void, undefined> {
  for (const path of paths) {
    for (const { start } of path) yield start
    const last = path.at(-1)
    if (last !== undefined) yield last.end
  }
}

/**
 * Returns the distance of a candidate on the ellipsoid. On the edge, the place that is closest on the sphere
 * is nearly the closest on the ellipsoid. One step to the vertex of a parabola therefore finds the closest
 * place on the ellipsoid.
 */
function refined({ place, edge }: Candidate): number {
  const length = lengthOf(edge)
  const at = (angle: number): number => {
    const limited = Math.min(Math.max(angle, 0), length)
    return metresBetween(placeOf(place), placeOf(length === 0 ? edge.start : placeAlong(edge, limited)))
  }
  const nearest = closestOn(edge, place)
  const angle = length === 0 ? 0 : angleAlong(edge, nearest)
  const step = Math.max(0.004 * angleBetween(place, nearest), 1e-9)
  const [before, middle, after] = [at(angle - step), at(angle), at(angle + step)]
  const curvature = before - 2 * middle + after
  const turn = curvature > 0 ? angle + (step * (before - after)) / (2 * curvature) : angle
  return Math.min(before, middle, after, at(turn))
}

import { areClose, edgeBetween, isOn, meetingsOf, type Edge } from './edge.js'
import { someClosePairWithin } from './edge-pairs.js'
import type { Effort } from '../../language/effort.js'
import { Flaw, type Geography, type Position } from './geo-json.js'
import { isCounterClockwise, isLeftOf, type Region } from './region.js'
import { dot, vectorOf, type Vector } from './vector.js'

/** An edge with its position in the path that it belongs to. */
export interface PathEdge extends Edge {
  readonly path: readonly PathEdge[]
  readonly index: number
}

/** A valid shape on the earth. */
export interface Shape {
  /**
   * One path for a point, with an edge of length 0; one for a line; or the rings of polygons, with the shape
   * to their left.
   */
  readonly paths: readonly (readonly PathEdge[])[]
  readonly edges: readonly PathEdge[]
  /** The areas of a polygon. Lines and points have none. */
  readonly regions: readonly Region[]
  readonly dimension: 0 | 1 | 2
}

/** Builds the shape. Throws a `Flaw` if it is invalid, for example because its rings cross. */
export function shapeOf({ type, polygons }: Geography, effort: Effort): Shape {
  if (type === 'Point') {
    const paths = polygons.flat().map(pointPath)
    return { paths, edges: paths.flat(), regions: [], dimension: 0 }
  }
  const paths = polygons.map((rings) =>
    rings.map((ring, index) => (index === 0 ? linePath(ring) : holePath(ring))),
  )
  const edges = paths.flat(2)
  if (type === 'LineString') return { paths: paths.flat(), edges, regions: [], dimension: 1 }
  refuseMeetingRings(edges, effort)
  for (const [outer = [], ...holes] of paths) refuseOuterHoles(outer, holes, effort)
  return { paths: paths.flat(), edges, regions: paths, dimension: 2 }
}

function pointPath(positions: readonly Position[]): readonly PathEdge[] {
  const path: PathEdge[] = []
  for (const [longitude, latitude] of positions) {
    const place = vectorOf(longitude, latitude)
    path.push({ ...edgeBetween(place, place), path, index: 0 })
  }
  return path
}

/** Builds the edges of a line or ring. A position that repeats the previous one adds no edge. */
function linePath(positions: readonly Position[]): readonly PathEdge[] {
  const path: PathEdge[] = []
  let start: Vector | undefined
  for (const [longitude, latitude] of positions) {
    const end = vectorOf(longitude, latitude)
    if (start !== undefined && areClose(start, end)) continue
    if (start !== undefined) {
      if (dot(start, end) < -1 + 1e-12)
        throw new Flaw('An edge must not connect opposite sides of the earth.')
      path.push({ ...edgeBetween(start, end), path, index: path.length })
    }
    start = end
  }
  if (path.length === 0) throw new Flaw('A line must have at least two different positions.')
  return path
}

/** Builds the edges of a hole so that the hole is to their right, whatever the order of its positions. */
function holePath(positions: readonly Position[]): readonly PathEdge[] {
  const path = linePath(positions)
  return isCounterClockwise(path) ? linePath([...positions].reverse()) : path
}

function refuseMeetingRings(edges: readonly PathEdge[], effort: Effort): void {
  const hasCrossing = someClosePairWithin(edges, effort, (edge, other) => {
    const met = meetingsOf(edge, other)
    if (edge.path !== other.path) return met.length > 1 || met.some((place) => !isEnd(place, edge, other))
    if (areNeighbours(edge, other)) return met.some((place) => !isShared(place, edge, other))
    return met.length > 0
  })
  if (hasCrossing) throw new Flaw('A ring crosses or covers itself or another ring.')
}

function areNeighbours(edge: PathEdge, other: PathEdge): boolean {
  const distance = Math.abs(edge.index - other.index)
  return distance === 1 || distance === edge.path.length - 1
}

/** Checks whether a place is an end of at least one of two edges. */
function isEnd(place: Vector, edge: Edge, other: Edge): boolean {
  return [edge.start, edge.end, other.start, other.end].some((end) => areClose(end, place))
}

/** Checks whether a place is an end of both edges. */
function isShared(place: Vector, edge: Edge, other: Edge): boolean {
  return [edge, other].every(({ start, end }) => areClose(start, place) || areClose(end, place))
}

function refuseOuterHoles(
  outer: readonly PathEdge[],
  holes: readonly (readonly PathEdge[])[],
  effort: Effort,
): void {
  for (const hole of holes) {
    const inner = hole.find(({ start }) => {
      effort.spend(outer.length)
      return !outer.some((edge) => isOn(start, edge))
    })
    if (inner !== undefined && !isLeftOf(inner.start, outer))
      throw new Flaw('A hole lies outside its polygon.')
  }
}

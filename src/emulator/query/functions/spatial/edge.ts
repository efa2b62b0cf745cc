import {
  angleBetween,
  cross,
  difference,
  dot,
  lengthOfVector,
  scaled,
  sum,
  unit,
  type Vector,
} from './vector.js'

/** The largest angle at which two places count as one. On the ground, it is less than a micrometre. */
export const tolerance = 1e-13

/**
 * The shorter way between two places in a plane through the centre of the earth. A point is an edge whose
 * ends are the same.
 */
export interface Edge {
  readonly start: Vector
  readonly end: Vector
  /** Points to the left of the edge, or has length 0 for a point. */
  readonly normal: Vector
}

export function edgeBetween(start: Vector, end: Vector): Edge {
  return { start, end, normal: planeOf(start, end) }
}

/** Returns the direction to the left of the way from `start` to `end`. */
export function planeOf(start: Vector, end: Vector): Vector {
  return unit(cross(start, difference(end, start)))
}

export function areClose(left: Vector, right: Vector): boolean {
  return lengthOfVector(difference(left, right)) <= tolerance
}

export function middleOf(start: Vector, end: Vector): Vector {
  return unit(sum(start, end))
}

/** Returns the angle between the start of an edge and a place on it. */
export function angleAlong({ start, normal }: Edge, place: Vector): number {
  return Math.atan2(dot(cross(normal, start), place), dot(start, place))
}

/** Returns the place of an edge at an angle from its start. */
export function placeAlong({ start, normal }: Edge, angle: number): Vector {
  return unit(sum(scaled(start, Math.cos(angle)), scaled(cross(normal, start), Math.sin(angle))))
}

export function lengthOf({ start, end }: Edge): number {
  return angleBetween(start, end)
}

export function isOn(place: Vector, { start, end, normal }: Edge): boolean {
  if (areClose(place, start) || areClose(place, end)) return true
  if (dot(normal, normal) === 0 || Math.abs(dot(normal, place)) > tolerance) return false
  return dot(cross(normal, start), place) > 0 && dot(cross(normal, end), place) < 0
}

/** Returns the places in which two edges meet: none, one, or the ends of the part that they share. */
export function meetingsOf(edge: Edge, other: Edge): readonly Vector[] {
  if (isBeside(edge, other) || isBeside(other, edge)) return []
  const met = [edge.start, edge.end].filter((place) => isOn(place, other))
  for (const place of [other.start, other.end]) {
    if (isOn(place, edge) && !met.some((known) => areClose(known, place))) met.push(place)
  }
  if (met.length > 0) return met
  const crossing = crossingOf(edge, other)
  return crossing === undefined ? [] : [crossing]
}

/** Checks whether an edge lies completely on one side of another, as nearly all edges do. */
function isBeside({ start, end }: Edge, { normal }: Edge): boolean {
  const [from, to] = [dot(normal, start), dot(normal, end)]
  return Math.min(from, to) > tolerance || Math.max(from, to) < -tolerance
}

/** Returns the place in which two edges cross. Neither of them may contain an end of the other. */
function crossingOf(edge: Edge, other: Edge): Vector | undefined {
  if (!separates(edge, other) || !separates(other, edge)) return undefined
  const place = unit(cross(edge.normal, other.normal))
  const isOpposite = dot(place, sum(edge.start, edge.end)) < 0
  const crossing = isOpposite ? scaled(place, -1) : place
  return dot(crossing, sum(other.start, other.end)) > 0 ? crossing : undefined
}

function separates({ normal }: Edge, { start, end }: Edge): boolean {
  return dot(normal, start) * dot(normal, end) < 0
}

/** Returns the place of an edge that is closest to another place. */
export function closestOn(edge: Edge, place: Vector): Vector {
  const { start, end, normal } = edge
  const below = unit(difference(place, scaled(normal, dot(normal, place))))
  const isBetweenEnds = dot(cross(normal, start), below) > 0 && dot(cross(normal, end), below) < 0
  if (isBetweenEnds) return below
  return dot(start, place) >= dot(end, place) ? start : end
}

import { middleOf, planeOf, type Edge } from './edge.js'
import { cross, difference, dot, scaled, sum, type Vector } from './vector.js'

/** A part of the earth: what lies to the left of all of these closed rings. */
export type Region = readonly (readonly Edge[])[]

/** Checks whether a place is in a region. The place must not be on a ring. */
export function isInside(place: Vector, region: Region): boolean {
  return region.every((ring) => isLeftOf(place, ring))
}

/**
 * Checks whether a place is in the part of the earth to the left of a ring. Counts how often the way from the
 * place to the middle of an edge crosses other edges.
 */
export function isLeftOf(place: Vector, ring: readonly Edge[]): boolean {
  const target = farthestPlane(place, ring)
  if (target === undefined) return false
  const middle = middleOf(target.start, target.end)
  const plane = planeOf(place, middle)
  let isLeft = dot(target.normal, place) > 0
  for (const edge of ring) {
    if (edge === target || dot(plane, edge.start) >= 0 === dot(plane, edge.end) >= 0) continue
    const line = cross(plane, edge.normal)
    const crossing = dot(line, sum(edge.start, edge.end)) < 0 ? scaled(line, -1) : line
    if (dot(cross(place, crossing), plane) > 0 && dot(cross(crossing, middle), plane) > 0) isLeft = !isLeft
  }
  return isLeft
}

/**
 * Returns the edge whose plane is farthest from a place, so that rounding cannot change on which side the
 * place is.
 */
function farthestPlane(place: Vector, ring: readonly Edge[]): Edge | undefined {
  let farthest: Edge | undefined
  let distance = 0
  for (const edge of ring) {
    const height = Math.abs(dot(edge.normal, place))
    if (height <= distance) continue
    farthest = edge
    distance = height
  }
  return farthest
}

/** Checks whether the smaller part of the earth is to the left of a ring. */
export function isCounterClockwise(ring: readonly Edge[]): boolean {
  const origin = ring[0]?.start ?? [0, 0, 0]
  let area: Vector = [0, 0, 0]
  let centre: Vector = [0, 0, 0]
  for (const { start, end } of ring) {
    area = sum(area, cross(difference(start, origin), difference(end, origin)))
    centre = sum(centre, start)
  }
  return dot(area, centre) > 0
}

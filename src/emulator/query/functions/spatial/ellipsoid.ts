import { createRequire } from 'node:module'
import type * as GeographicLib from 'geographiclib-geodesic'
import type { Geography, Position } from './geo-json.js'

let library: typeof GeographicLib | null = null

/** Loads the library for the first distance or area. Uses `require`, because queries run synchronously. */
function ellipsoid(): (typeof GeographicLib)['Geodesic']['WGS84'] {
  library ??= createRequire(import.meta.url)('geographiclib-geodesic') as typeof GeographicLib
  return library.Geodesic.WGS84
}

/** Returns the shortest distance between two positions on the ground, in metres. */
export function metresBetween(start: Position, end: Position): number {
  return ellipsoid().Inverse(start[1], start[0], end[1], end[0]).s12 ?? 0
}

/**
 * Returns the area of polygons in square metres, and 0 for points and lines. The area of a polygon is to the
 * left of its outer ring.
 */
export function squareMetresOf({ type, polygons }: Geography): number {
  if (type === 'Point' || type === 'LineString') return 0
  let total = 0
  for (const [outer = [], ...holes] of polygons) {
    total += ringArea(outer, false)
    for (const hole of holes) total -= Math.abs(ringArea(hole, true))
  }
  return total
}

/**
 * Returns the area to the left of a ring. If `isSigned` is true, returns the smaller of the areas on both
 * sides, which is negative if it is to the right.
 */
function ringArea(ring: readonly Position[], isSigned: boolean): number {
  const polygon = ellipsoid().Polygon(false)
  for (const [longitude, latitude] of ring.slice(1)) polygon.AddPoint(latitude, longitude)
  return polygon.Compute(false, isSigned).area ?? 0
}

import { describe, expect, it } from 'vitest'
import { lengthOf, placeAlong } from '../../../../../../src/emulator/query/functions/spatial/edge.js'
import { metresBetween } from '../../../../../../src/emulator/query/functions/spatial/ellipsoid.js'
import { shortestDistance } from '../../../../../../src/emulator/query/functions/spatial/closest.js'
import {
  readGeoJson,
  type Position,
} from '../../../../../../src/emulator/query/functions/spatial/geo-json.js'
import { shapeOf, type Shape } from '../../../../../../src/emulator/query/functions/spatial/shape.js'
import { placeOf } from '../../../../../../src/emulator/query/functions/spatial/vector.js'
import { Effort } from '../../../../../../src/emulator/query/language/effort.js'

const effort = new Effort('comparedEdges')

function shape(type: string, coordinates: unknown): Shape {
  return shapeOf(readGeoJson({ type, coordinates }), effort)
}

/** Returns the smallest distance to many places of a line of one edge. */
function sampledDistance(position: Position, { edges: [edge] }: Shape): number {
  if (edge === undefined) return NaN
  const samples = Array.from({ length: 20_001 }, (_, index) => {
    return metresBetween(position, placeOf(placeAlong(edge, (lengthOf(edge) * index) / 20_000)))
  })
  return Math.min(...samples)
}

describe('shortestDistance', () => {
  it.each<[Position, Position, Position]>([
    [
      [5, 40],
      [6, 37],
      [12, 43],
    ],
    [
      [5, 40],
      [6, 43],
      [12, 37],
    ],
    [
      [0, -60],
      [-20, -40],
      [30, -55],
    ],
    [
      [170, 10],
      [-175, -10],
      [-170, 30],
    ],
  ])('from %j to the edge between %j and %j is the smallest on the ellipsoid', (position, start, end) => {
    const edge = shape('LineString', [start, end])
    const distance = shortestDistance(shape('Point', position), edge, effort)
    expect(Math.abs(distance - sampledDistance(position, edge))).toBeLessThan(0.01)
  })

  it('is the same to a line and to the same line in many parts', () => {
    const whole = shape('LineString', [
      [10, 0],
      [10, 20],
    ])
    const positions = Array.from({ length: 201 }, (_, index) => [10, index / 10])
    const place = shape('Point', [12, 9.95])
    const parts = shortestDistance(place, shape('LineString', positions), effort)
    expect(parts).toBeCloseTo(shortestDistance(place, whole, effort), 3)
  })
})

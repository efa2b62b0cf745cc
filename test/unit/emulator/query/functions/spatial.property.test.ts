import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileQuery } from '../../../../../src/emulator/query/index.js'

type Position = readonly [number, number]

/** Where the shapes are: they are so small that the ground counts as flat. */
const places: readonly Position[] = [
  [0, 0],
  [-122.1, 47.6],
  [179.9999, -33.3],
  [15, 85],
]

const size = 0.001

function valueOf(expression: string, document: object): unknown {
  return compileQuery(`SELECT VALUE ${expression} FROM c`, []).execute([{ ...document }])[0]
}

/** Returns twice the area of a triangle, positive if its corners are counter-clockwise. */
function turn(first: Position, second: Position, third: Position): number {
  return (second[0] - first[0]) * (third[1] - first[1]) - (second[1] - first[1]) * (third[0] - first[0])
}

function turns([first, second, third]: Triangle, position: Position): readonly number[] {
  return [turn(first, second, position), turn(second, third, position), turn(third, first, position)]
}

type Triangle = readonly [Position, Position, Position]

/** Returns the smallest distance by which a triangle is on the outer side of an edge of another triangle. */
function gap(triangle: Triangle, other: Triangle): number {
  const outside = [0, 1, 2].map((edge) =>
    Math.max(...other.map((corner) => turns(triangle, corner)[edge] ?? 0)),
  )
  return Math.min(...outside)
}

const coordinate = fc.double({ min: 0, max: 1, noNaN: true })
const position = fc.tuple(coordinate, coordinate)
const triangle = fc
  .tuple(position, position, position)
  .map((corners): Triangle => (turn(...corners) < 0 ? [corners[0], corners[2], corners[1]] : corners))
  .filter((corners) => turn(...corners) > 0.01)
const place = fc.constantFrom(...places)

function on([west, south]: Position, [x, y]: Position): Position {
  return [west + x * size, south + y * size]
}

function polygon(origin: Position, [first, second, third]: Triangle): object {
  return { type: 'Polygon', coordinates: [[first, second, third, first].map((corner) => on(origin, corner))] }
}

function inverse(origin: Position, [first, second, third]: Triangle): object {
  return { type: 'Polygon', coordinates: [[first, third, second, first].map((corner) => on(origin, corner))] }
}

/** Below this, a position counts as being on an edge, where flat and round ground may differ. */
const margin = 1e-4

describe('spatial functions', () => {
  it('agree with flat ground about positions in small triangles', () => {
    const property = fc.property(place, triangle, position, (origin, corners, inner) => {
      const depth = Math.min(...turns(corners, inner))
      fc.pre(Math.abs(depth) > margin)
      const shapes = {
        point: { type: 'Point', coordinates: on(origin, inner) },
        triangle: polygon(origin, corners),
        rest: inverse(origin, corners),
      }
      expect(valueOf('ST_WITHIN(c.point, c.triangle)', shapes)).toBe(depth > 0)
      expect(valueOf('ST_INTERSECTS(c.point, c.triangle)', shapes)).toBe(depth > 0)
      expect(valueOf('ST_WITHIN(c.point, c.rest)', shapes)).toBe(depth < 0)
      expect(valueOf('ST_DISTANCE(c.point, c.triangle) = 0', shapes)).toBe(depth > 0)
    })
    fc.assert(property, { numRuns: 300, seed: 1 })
  })

  it('agree with flat ground about two small triangles', () => {
    const property = fc.property(place, triangle, triangle, (origin, corners, other) => {
      const separation = Math.min(gap(corners, other), gap(other, corners))
      const depth = Math.min(...corners.flatMap((corner) => turns(other, corner)))
      fc.pre(Math.abs(separation) > margin && Math.abs(depth) > margin)
      const shapes = {
        first: polygon(origin, corners),
        second: polygon(origin, other),
        rest: inverse(origin, other),
      }
      expect(valueOf('ST_INTERSECTS(c.first, c.second)', shapes)).toBe(separation > 0)
      expect(valueOf('ST_INTERSECTS(c.second, c.first)', shapes)).toBe(separation > 0)
      expect(valueOf('ST_WITHIN(c.first, c.second)', shapes)).toBe(depth > 0)
      expect(valueOf('ST_WITHIN(c.first, c.rest)', shapes)).toBe(separation < 0)
      expect(valueOf('ST_DISTANCE(c.first, c.second) > 0', shapes)).toBe(separation < 0)
    })
    fc.assert(property, { numRuns: 300, seed: 1 })
  })
})

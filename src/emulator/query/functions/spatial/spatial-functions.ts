import { ofOne, type QueryFunction } from '../../values/query-function.js'
import { isObject } from '../../values/values.js'
import { shortestDistance } from './closest.js'
import { Effort } from '../../language/effort.js'
import { metresBetween, squareMetresOf } from './ellipsoid.js'
import { Flaw, readGeoJson, type Geography } from './geo-json.js'
import { intersects, isWithin } from './relations.js'
import { shapeOf, type Shape } from './shape.js'

/** A valid GeoJSON object with its shape. */
interface Spatial {
  readonly geography: Geography
  readonly shape: Shape
}

/**
 * Returns the shape of a value, or the reason why it is invalid. Returns undefined if the value is not an
 * object.
 */
function read(value: unknown, effort: Effort): Spatial | Flaw | undefined {
  if (!isObject(value)) return undefined
  try {
    const geography = readGeoJson(value)
    return { geography, shape: shapeOf(geography, effort) }
  } catch (error) {
    if (error instanceof Flaw) return error
    throw error
  }
}

/** Returns a function of two shapes. The result for an invalid shape is undefined. */
function ofShapes(compute: (first: Spatial, second: Spatial, effort: Effort) => unknown): QueryFunction {
  return {
    minArguments: 2,
    maxArguments: 2,
    evaluate: (first, second) => {
      const effort = new Effort('comparedEdges')
      const left = read(first, effort)
      if (left === undefined || left instanceof Flaw) return undefined
      const right = read(second, effort)
      if (right === undefined || right instanceof Flaw) return undefined
      return compute(left, right, effort)
    },
  }
}

function distance(first: Spatial, second: Spatial, effort: Effort): number {
  const [from, to] = [first.geography, second.geography]
  const [start, end] = [from.polygons[0]?.[0]?.[0], to.polygons[0]?.[0]?.[0]]
  if (from.type === 'Point' && to.type === 'Point' && start && end) return metresBetween(start, end)
  return shortestDistance(first.shape, second.shape, effort)
}

function area(value: unknown): number | undefined {
  const spatial = read(value, new Effort('comparedEdges'))
  return spatial === undefined || spatial instanceof Flaw ? undefined : squareMetresOf(spatial.geography)
}

function isValid(value: unknown): boolean | undefined {
  const spatial = read(value, new Effort('comparedEdges'))
  return spatial === undefined ? undefined : !(spatial instanceof Flaw)
}

function validity(value: unknown): object | undefined {
  const spatial = read(value, new Effort('comparedEdges'))
  if (spatial === undefined) return undefined
  return spatial instanceof Flaw ? { valid: false, reason: spatial.message } : { valid: true }
}

/**
 * Functions of GeoJSON objects. An edge of a shape is the shortest way between two positions on the earth.
 */
export const spatialFunctions: Readonly<Record<string, QueryFunction>> = {
  ST_AREA: ofOne(area),
  ST_DISTANCE: ofShapes(distance),
  ST_INTERSECTS: ofShapes(({ shape }, other, effort) => intersects(shape, other.shape, effort)),
  ST_ISVALID: ofOne(isValid),
  ST_ISVALIDDETAILED: ofOne(validity),
  ST_WITHIN: ofShapes(({ shape }, other, effort) => isWithin(shape, other.shape, effort)),
}

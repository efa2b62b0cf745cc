/** A longitude and a latitude in degrees. */
export type Position = readonly [number, number]

/** A GeoJSON object whose structure is valid. */
export interface Geography {
  readonly type: 'Point' | 'LineString' | 'Polygon' | 'MultiPolygon'
  /** Polygons, each with its rings. A point or a line is stored as one ring of one polygon. */
  readonly polygons: readonly (readonly (readonly Position[])[])[]
}

/** The error for an invalid shape. Its message is the reason. */
export class Flaw extends Error {}

/** The service accepts longitudes beyond one turn around the earth, up to this one. */
const greatestLongitude = 15_069

/** Reads a GeoJSON object, and throws a `Flaw` if its structure is invalid. */
export function readGeoJson(value: Readonly<Record<string, unknown>>): Geography {
  const { type, coordinates } = value
  switch (type) {
    case 'Point':
      return { type, polygons: [[[readPosition(coordinates)]]] }
    case 'LineString':
      return { type, polygons: [[readLine(coordinates)]] }
    case 'Polygon':
      return { type, polygons: [readRings(coordinates)] }
    case 'MultiPolygon':
      return { type, polygons: listOf(coordinates, 'A MultiPolygon', 1).map(readRings) }
    default:
      throw new Flaw('The type must be Point, LineString, Polygon or MultiPolygon.')
  }
}

function readPosition(value: unknown): Position {
  const [longitude, latitude] = listOf(value, 'A position', 2)
  if (!isNumber(longitude) || !isNumber(latitude)) throw new Flaw('A position must consist of numbers.')
  if (Math.abs(latitude) > 90) throw new Flaw('Latitude values must be between -90 and 90 degrees.')
  if (Math.abs(longitude) > greatestLongitude) {
    throw new Flaw(`Longitude values must be between -${greatestLongitude} and ${greatestLongitude} degrees.`)
  }
  return [longitude, latitude]
}

function readLine(value: unknown): readonly Position[] {
  return listOf(value, 'A LineString', 2).map(readPosition)
}

function readRings(value: unknown): readonly (readonly Position[])[] {
  return listOf(value, 'A Polygon', 1).map(readRing)
}

function readRing(value: unknown, index: number): readonly Position[] {
  const ring = listOf(value, 'A ring', 4).map(readPosition)
  const [first, last] = [ring[0], ring.at(-1)]
  if (first?.[0] !== last?.[0] || first?.[1] !== last?.[1]) {
    throw new Flaw(
      `The Polygon input is not valid because the start and end points of the ring number ${index + 1} are ` +
        'not the same. Each ring of a Polygon must have the same start and end points.',
    )
  }
  return ring
}

function listOf(value: unknown, name: string, least: number): readonly unknown[] {
  if (Array.isArray(value) && value.length >= least) return value
  throw new Flaw(`${name} must be an array of at least ${least} item(s).`)
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

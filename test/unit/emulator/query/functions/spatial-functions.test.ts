import { describe, expect, it } from 'vitest'
import { compileQuery, QueryError } from '../../../../../src/emulator/query/index.js'

type Position = readonly [number, number]

function text(type: string, coordinates: unknown): string {
  return JSON.stringify({ type, coordinates })
}

const point = (longitude: number, latitude: number): string => text('Point', [longitude, latitude])
const line = (...positions: readonly Position[]): string => text('LineString', positions)
const polygon = (...rings: readonly (readonly Position[])[]): string => text('Polygon', rings)
const polygons = (...parts: readonly (readonly (readonly Position[])[])[]): string =>
  text('MultiPolygon', parts)

/** Returns a counter-clockwise ring around a square of degrees. */
function square(west: number, south: number, size: number): readonly Position[] {
  const [east, north] = [west + size, south + size]
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
}

function reversed(ring: readonly Position[]): readonly Position[] {
  return [...ring].reverse()
}

const document = { nil: null, number: 5, text: 'Point', list: [1, 2], empty: {}, yes: true }

function valueOf(expression: string, input: object = document): unknown {
  return compileQuery(`SELECT VALUE ${expression} FROM c`, []).execute([{ ...input }])[0]
}

const small = polygon(square(0, 0, 3))
const inverse = polygon(reversed(square(0, 0, 3)))
const ring = polygon(square(0, 0, 3), reversed(square(1, 1, 1)))
const meridian = line([0, 0], [0, 3])
const antimeridian = polygon([
  [179, 0],
  [-179, 0],
  [-179, 1],
  [179, 1],
  [179, 0],
])
const aroundPole = polygon([
  [0, 80],
  [90, 80],
  [180, 80],
  [-90, 80],
  [0, 80],
])

const documentedCampus = polygon([
  [-122.13236581015025, 47.64606476313813],
  [-122.13221982500913, 47.633757091363975],
  [-122.11840598103835, 47.641749416109235],
  [-122.12061400629656, 47.64589264786028],
  [-122.13236581015025, 47.64606476313813],
])
const documentedHighway = polygon([
  [-122.13693695285855, 47.64996065621003],
  [-122.1351662656516, 47.64627863318731],
  [-122.13488295569863, 47.646326350048696],
  [-122.1366182291613, 47.650016321952904],
  [-122.13693695285855, 47.64996065621003],
])
const documentedSecondCampus = polygon([
  [-122.14034847687708, 47.6494835188378],
  [-122.14014779899375, 47.64625477474044],
  [-122.13256925774829, 47.646207057813655],
  [-122.13254564858545, 47.64941990019193],
  [-122.14034847687708, 47.6494835188378],
])
const documentedArea = polygon([
  [31.8, -5],
  [32, -5],
  [32, -4.7],
  [31.8, -4.7],
  [31.8, -5],
])

/** The difference to documented results, whose method is less exact than the one of the library. */
const documentedPrecision = 1e-7

describe('ST_DISTANCE', () => {
  const reference = point(-122.11758113953535, 47.66901087006131)

  it.each<[string, number]>([
    [point(-122.12826822304672, 47.63980239335718), 3345.269817267368],
    [point(-96.84368664765994, 46.81297794314663), 1907438.421299902],
  ])('is documented for the place %s, in metres on the ellipsoid', (place, expected) => {
    const distance = valueOf(`ST_DISTANCE(${place}, ${reference})`) as number
    expect(Math.abs(distance / expected - 1)).toBeLessThan(documentedPrecision)
  })

  it.each<[string, string, number]>([
    [point(0, 0), point(0, 0), 0],
    [point(0, 0), point(1, 0), 111319.4908],
    [point(0, 0), point(0, 1), 110574.3886],
    [point(179.5, 0), point(-179.5, 0), 111319.4908],
    [point(-180, 10), point(180, 10), 0],
    [point(0, 90), point(123, 90), 0],
    [point(0, -90), point(0, 90), 20003931.4586],
    [point(0, 4), meridian, 110578.4421],
    [point(1, 1), meridian, 111302.6481],
    [line([1, 1], [2, 5]), meridian, 111302.6481],
    [point(1, 1), small, 0],
    [point(0, 1), small, 0],
    [point(1.5, 1.5), ring, 55283.168],
    [point(10, 10), inverse, 0],
    [small, polygon(square(4, 0, 3)), 111167.9466],
    [small, polygons([square(20, 0, 1)], [square(4, 0, 3)]), 111167.9466],
    [line([-1, 1], [4, 1]), small, 0],
  ])('from %s to %s is %f', (first, second, expected) => {
    const distance = valueOf(`ST_DISTANCE(${first}, ${second})`) as number
    expect(Math.abs(distance - expected)).toBeLessThanOrEqual(Math.max(expected * 1e-6, 0.001))
    expect(valueOf(`ST_DISTANCE(${second}, ${first})`)).toBeCloseTo(distance, 3)
  })

  it('finds the closest place between the ends of an edge on the ellipsoid', () => {
    const candidates = Array.from({ length: 2001 }, (_, index) => {
      const latitude = 40 + (index - 1000) / 10_000
      return valueOf(`ST_DISTANCE(${point(5, 40)}, ${point(6, latitude)})`) as number
    })
    const distance = valueOf(`ST_DISTANCE(${point(5, 40)}, ${line([6, 30], [6, 50])})`)
    expect(distance).toBeCloseTo(Math.min(...candidates), 2)
  })
})

describe('ST_WITHIN', () => {
  it('is documented for a place on a campus', () => {
    expect(valueOf(`ST_WITHIN(${point(-122.12824857332558, 47.6395516675712)}, ${documentedCampus})`)).toBe(
      true,
    )
    expect(valueOf(`ST_WITHIN(${point(-122.15, 47.6395516675712)}, ${documentedCampus})`)).toBe(false)
    expect(valueOf(`ST_WITHIN(${point(31.9, -4.8)}, ${documentedArea})`)).toBe(true)
  })

  it.each<[string, string, boolean]>([
    [point(1, 1), small, true],
    [point(4, 1), small, false],
    [point(1, 1), inverse, false],
    [point(4, 1), inverse, true],
    [point(1.5, 1.5), ring, false],
    [point(2.5, 1.5), ring, true],
    [point(20.5, 0.5), polygons([square(0, 0, 3)], [square(20, 0, 1)]), true],
    [point(10, 0.5), polygons([square(0, 0, 3)], [square(20, 0, 1)]), false],
    [point(179.9, 0.5), antimeridian, true],
    [point(-180, 0.5), antimeridian, true],
    [point(0, 0.5), antimeridian, false],
    [point(45, 89), aroundPole, true],
    [point(0, 90), aroundPole, true],
    [point(45, -89), aroundPole, false],
    [point(1, 1), point(1, 1), true],
    [point(180, 1), point(-180, 1), true],
    [point(1, 1), point(1, 2), false],
    [point(0, 1), meridian, true],
    [point(1, 1), meridian, false],
    [line([0, 1], [0, 2]), meridian, true],
    [line([0, 1], [0, 4]), meridian, false],
    [line([0, 1], [1, 1]), meridian, false],
    [line([0.5, 1], [1, 2]), small, true],
    [line([0.5, 1], [4, 2]), small, false],
    [line([0.5, 1.5], [2.5, 1.5]), ring, false],
    [line([4, 1], [5, 2]), inverse, true],
    [polygon(square(1, 1, 1)), small, true],
    [small, small, true],
    [polygon(reversed(square(0, 0, 3))), inverse, true],
    [small, polygon(square(1, 1, 1)), false],
    [polygon(square(2, 2, 2)), small, false],
    [polygon(square(0.5, 0.5, 2)), ring, false],
    [polygon(square(1.2, 1.2, 0.5)), ring, false],
    [ring, small, true],
    [small, ring, false],
    [polygon(square(4, 4, 1)), inverse, true],
    [small, inverse, false],
    [polygons([square(0, 0, 3)], [square(20, 0, 1)]), small, false],
    [small, polygons([square(0, 0, 3)], [square(20, 0, 1)]), true],
    [polygon(square(1, 1, 1)), ring, false],
    [inverse, small, false],
    [polygons([square(0.5, 0.5, 0.2)], [square(2, 2, 0.5)]), small, true],
    [polygons([square(0.5, 0.5, 0.2)], [square(5, 2, 0.5)]), small, false],
    [small, line([0, 0], [3, 0], [3, 3]), false],
    [meridian, point(0, 1), false],
  ])('of %s in %s is %s', (inner, outer, expected) => {
    expect(valueOf(`ST_WITHIN(${inner}, ${outer})`)).toBe(expected)
  })

  it.each<[string, string]>([
    [point(0, 1), small],
    [point(0, 0), small],
    [line([0, 0], [0, 3]), small],
    [point(0, 0), meridian],
  ])('is false for what lies only on the boundary, as in other databases: %s, %s', (inner, outer) => {
    expect(valueOf(`ST_WITHIN(${inner}, ${outer})`)).toBe(false)
  })

  it('takes the shortest way around the earth as an edge, not a line on a map', () => {
    const wide = polygon([
      [-40, 45],
      [40, 45],
      [40, 60],
      [-40, 60],
      [-40, 45],
    ])
    expect(valueOf(`ST_WITHIN(${point(0, 46)}, ${wide})`)).toBe(false)
    expect(valueOf(`ST_WITHIN(${point(0, 61)}, ${wide})`)).toBe(true)
  })
})

describe('ST_INTERSECTS', () => {
  it('is documented for a highway and a campus', () => {
    expect(valueOf(`ST_INTERSECTS(${documentedHighway}, ${documentedSecondCampus})`)).toBe(true)
    expect(valueOf(`ST_INTERSECTS(${documentedHighway}, ${documentedCampus})`)).toBe(false)
  })

  it.each<[string, string, boolean]>([
    [point(1, 1), point(1, 1), true],
    [point(1, 1), point(1, 1.000001), false],
    [point(0, 1), meridian, true],
    [point(0.000001, 1), meridian, false],
    [point(0, 4), meridian, false],
    [point(1, 1), small, true],
    [point(0, 1), small, true],
    [point(3, 3), small, true],
    [point(4, 1), small, false],
    [point(4, 1), inverse, true],
    [point(1.5, 1.5), ring, false],
    [line([-1, 1], [1, 1]), meridian, true],
    [line([-1, 4], [1, 4]), meridian, false],
    [line([0, 3], [1, 4]), meridian, true],
    [line([-89, 0], [89, 0]), line([180, -80], [180, 80]), false],
    [line([0, 2], [0, 5]), meridian, true],
    [line([0, 4], [0, 5]), meridian, false],
    [line([-1, 1], [4, 1]), small, true],
    [line([1, 1], [2, 2]), small, true],
    [line([-1, 1], [-0.5, 1]), small, false],
    [line([1.2, 1.2], [1.5, 1.5]), ring, false],
    [polygon(square(2, 2, 2)), small, true],
    [polygon(square(3, 0, 1)), small, true],
    [polygon(square(4, 0, 1)), small, false],
    [polygon(square(1, 1, 1)), small, true],
    [polygon(square(1.2, 1.2, 0.5)), ring, false],
    [polygon(square(1.2, 1.2, 2)), ring, true],
    [polygons([square(10, 0, 1)], [square(2, 2, 2)]), small, true],
    [polygons([square(10, 0, 1)], [square(20, 2, 2)]), small, false],
    [inverse, polygon(reversed(square(10, 10, 1))), true],
    [line([170, 0.5], [-170, 0.5]), antimeridian, true],
    [line([0, 0.5], [90, 0.5]), antimeridian, false],
  ])('of %s and %s is %s', (first, second, expected) => {
    expect(valueOf(`ST_INTERSECTS(${first}, ${second})`)).toBe(expected)
    expect(valueOf(`ST_INTERSECTS(${second}, ${first})`)).toBe(expected)
  })
})

describe('ST_AREA', () => {
  it('is documented for a polygon, in square metres', () => {
    const area = valueOf(`ST_AREA(${documentedArea})`) as number
    expect(Math.abs(area / 735970283.0522614 - 1)).toBeLessThan(documentedPrecision)
  })

  it.each<[string, number]>([
    [point(1, 1), 0],
    [meridian, 0],
    [polygon(square(0, 0, 1)), 12308778361.469],
    [polygon(reversed(square(0, 0, 1))), 510065621724088.5 - 12308778361.469],
    [polygons([square(0, 0, 1)], [square(0, -10, 1)]), 12308778361.469 + 12122000000],
  ])('of %s is %f', (shape, expected) => {
    const area = valueOf(`ST_AREA(${shape})`) as number
    expect(Math.abs(area - expected)).toBeLessThanOrEqual(expected * 1e-2)
  })

  it('leaves out holes, in whatever order their positions are', () => {
    const hole = valueOf(`ST_AREA(${polygon(square(1, 1, 1))})`) as number
    const whole = valueOf(`ST_AREA(${small})`) as number
    expect(valueOf(`ST_AREA(${ring})`)).toBeCloseTo(whole - hole, 3)
    expect(valueOf(`ST_AREA(${polygon(square(0, 0, 3), square(1, 1, 1))})`)).toBeCloseTo(whole - hole, 3)
  })

  it('of a clockwise polygon is the rest of the earth', () => {
    const both = (valueOf(`ST_AREA(${small})`) as number) + (valueOf(`ST_AREA(${inverse})`) as number)
    expect(both / 510065621724088.5).toBeCloseTo(1, 9)
  })
})

const latitudeReason = 'Latitude values must be between -90 and 90 degrees.'
const openRing = polygon([
  [31.8, -5],
  [31.8, -4.7],
  [32, -4.7],
  [32, -5],
])

describe('ST_ISVALID and ST_ISVALIDDETAILED', () => {
  it.each<[string, string]>([
    [point(133.7568278430635, -184.388761943453), latitudeReason],
    [point(31.9, -132.8), latitudeReason],
    [
      openRing,
      'The Polygon input is not valid because the start and end points of the ring number 1 are not the same. ' +
        'Each ring of a Polygon must have the same start and end points.',
    ],
  ])('refuse %s with the documented reason', (shape, reason) => {
    expect(valueOf(`ST_ISVALID(${shape})`)).toBe(false)
    expect(valueOf(`ST_ISVALIDDETAILED(${shape})`)).toEqual({ valid: false, reason })
  })

  it.each([
    point(-84.38876194345323, 33.75682784306348),
    point(180, 90),
    point(190, 0),
    text('Point', [1, 2, 300]),
    '{"type": "Point", "coordinates": [1, 2], "crs": null, "name": "é"}',
    meridian,
    line([0, 0], [0, 0], [0, 1]),
    line([0, 0], [1, 1], [1, 0], [0, 1]),
    small,
    inverse,
    ring,
    antimeridian,
    aroundPole,
    documentedCampus,
    polygon(square(0, 0, 3), [
      [0, 0],
      [1, 1],
      [1, 2],
      [0, 0],
    ]),
    polygons([square(0, 0, 1)], [square(5, 5, 1)]),
    polygons([square(0, 0, 1)], [square(1, 1, 1)]),
  ])('accept %s', (shape) => {
    expect(valueOf(`ST_ISVALID(${shape})`)).toBe(true)
    expect(valueOf(`ST_ISVALIDDETAILED(${shape})`)).toEqual({ valid: true })
  })

  it.each<[string, RegExp]>([
    ['{}', /type must be/u],
    ['{"type": "point", "coordinates": [1, 2]}', /type must be/u],
    ['{"type": "MultiPoint", "coordinates": [[1, 2]]}', /type must be/u],
    ['{"type": "Point"}', /A position must be an array/u],
    ['{"type": "Point", "coordinates": [1]}', /A position must be an array/u],
    ['{"type": "Point", "coordinates": [1, "2"]}', /numbers/u],
    ['{"type": "Point", "coordinates": [1, null]}', /numbers/u],
    ['{"type": "Point", "coordinates": {"0": 1, "1": 2}}', /A position must be an array/u],
    [point(0, 90.0001), /Latitude/u],
    [point(15070, 0), /Longitude/u],
    [text('LineString', [[0, 0]]), /A LineString/u],
    [line([0, 0], [0, 0]), /two different positions/u],
    [line([0, 0], [180, 0]), /opposite sides/u],
    [text('Polygon', []), /A Polygon/u],
    [polygon([]), /A ring/u],
    [polygon(square(0, 0, 0)), /two different positions/u],
    [polygon(square(0, 0, 1).slice(0, 3)), /A ring/u],
    [
      polygon([
        [0, 0],
        [1, 1],
        [1, 0],
        [0, 1],
        [0, 0],
      ]),
      /crosses/u,
    ],
    [
      polygon([
        [0, 0],
        [0, 1],
        [0, 2],
        [0, 0],
      ]),
      /crosses/u,
    ],
    [polygon(square(0, 0, 3), square(1, 1, 5)), /crosses/u],
    [polygon(square(0, 0, 3), square(0, 0, 1)), /crosses/u],
    [polygon(square(0, 0, 3), square(5, 5, 1)), /outside/u],
    [polygons(), /A MultiPolygon/u],
    [polygons([square(0, 0, 3)], [square(2, 2, 3)]), /crosses/u],
  ])('refuse %s', (shape, reason) => {
    expect(valueOf(`ST_ISVALID(${shape})`)).toBe(false)
    expect(valueOf(`ST_ISVALIDDETAILED(${shape})`)).toEqual({
      valid: false,
      reason: expect.stringMatching(reason) as unknown,
    })
  })
})

describe('a spatial function', () => {
  const wrong = ['c.nil', 'c.number', 'c.text', 'c.list', 'c.yes', 'c.nothing']

  it.each(['ST_AREA', 'ST_ISVALID', 'ST_ISVALIDDETAILED'])(
    '%s is undefined for what is no object',
    (name) => {
      expect(wrong.map((value) => valueOf(`${name}(${value})`))).toEqual(wrong.map(() => undefined))
    },
  )

  it.each(['ST_DISTANCE', 'ST_WITHIN', 'ST_INTERSECTS'])('%s is undefined for an invalid shape', (name) => {
    const invalid = [...wrong, 'c.empty', openRing, point(0, 91)]
    const results = invalid.flatMap((value) => [
      `${name}(${value}, ${small})`,
      `${name}(${point(1, 1)}, ${value})`,
    ])
    expect(results.map((expression) => valueOf(expression))).toEqual(results.map(() => undefined))
  })

  it('ST_AREA is undefined for an invalid shape', () => {
    expect(valueOf(`ST_AREA(${openRing})`)).toBeUndefined()
  })

  it('reads shapes from documents and its name in any case', () => {
    const input = { place: { type: 'Point', coordinates: [1, 1] }, area: JSON.parse(small) as unknown }
    expect(valueOf('st_within(c.place, c.area)', input)).toBe(true)
    expect(valueOf('St_Distance(c.place, c.area) < 1000', input)).toBe(true)
  })

  it.each([
    'ST_AREA()',
    'ST_AREA(c, c)',
    'ST_ISVALID()',
    'ST_ISVALIDDETAILED(c, c)',
    'ST_DISTANCE(c)',
    'ST_WITHIN(c)',
    'ST_INTERSECTS(c, c, c)',
  ])('is refused with a wrong count of arguments: %s', (expression) => {
    expect(() => valueOf(expression)).toThrow(QueryError)
  })

  const zigzag = (shift: number): object => ({
    type: 'LineString',
    coordinates: Array.from({ length: 20_000 }, (_, index) => [(index % 2) * 10, shift + index / 10_000]),
  })

  it.each(['ST_WITHIN(c.line, c.other)', 'ST_DISTANCE(c.line, c.far)'])(
    'is refused if it compares too many edges: %s',
    (expression) => {
      const input = { line: zigzag(0), other: zigzag(0.00003), far: zigzag(20) }
      expect(() => valueOf(expression, input)).toThrow(/compares edges more than/u)
    },
  )

  it('compares only close edges of shapes with many positions', () => {
    const circle = (radius: number): readonly Position[] => {
      const positions = Array.from({ length: 4000 }, (_, index): Position => {
        const angle = (index / 4000) * 2 * Math.PI
        return [radius * Math.cos(angle), radius * Math.sin(angle)]
      })
      return [...positions, [radius, 0]]
    }
    const input = {
      inner: { type: 'Polygon', coordinates: [circle(1)] },
      outer: { type: 'Polygon', coordinates: [circle(2)] },
    }
    expect(valueOf('ST_WITHIN(c.inner, c.outer)', input)).toBe(true)
    expect(valueOf('ST_WITHIN(c.outer, c.inner)', input)).toBe(false)
  })
})

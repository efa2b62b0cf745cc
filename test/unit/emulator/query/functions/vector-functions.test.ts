import { describe, expect, it } from 'vitest'
import { compileQuery, QueryError } from '../../../../../src/emulator/query/index.js'

const document = {
  vector: [3, 4],
  east: [1, 0],
  zero: [0, 0],
  nested: [[3, 4]],
  texts: ['3', '4'],
  nil: null,
  huge: [1e300, 1e300],
  large: [9007199254740992, 0],
  tiny: [-0],
}

function valueOf(expression: string): unknown {
  return compileQuery(`SELECT VALUE ${expression} FROM c`, []).execute([document])[0]
}

function withOptions(options: string): string {
  return `VECTORDISTANCE(c.vector, c.east, true, ${options})`
}

describe('VECTORDISTANCE', () => {
  it.each<[string, unknown]>([
    ['VECTORDISTANCE(c.vector, c.east)', 0.6],
    ['VectorDistance(c.vector, [-3, -4])', -1],
    ['VECTORDISTANCE([1, 0], [0, 1])', 0],
    ['VECTORDISTANCE([1, 1, 1], [1, 1, 1])', 1],
    ['VECTORDISTANCE([1, 1, 1], [-1, -1, -1])', -1],
    ['VECTORDISTANCE(c.vector, c.east, false)', 0.6],
    ['VECTORDISTANCE(c.vector, c.east, true)', 0.6],
    [withOptions('{}'), 0.6],
    [withOptions("{'distanceFunction': 'cosine', 'dataType': 'float32'}"), 0.6],
    [withOptions('{distanceFunction: "dotproduct"}'), 3],
    [withOptions('{distanceFunction: "DotProduct", dataType: "Int8"}'), 3],
    [withOptions('{distanceFunction: "euclidean", dataType: "uint8"}'), Math.sqrt(20)],
    [withOptions('{distanceFunction: "Euclidean", dataType: "float16"}'), Math.sqrt(20)],
    [withOptions('{searchListSizeMultiplier: 10, filterPriority: 0.5}'), 0.6],
    ['VECTORDISTANCE(c.large, [1, 0], true, {distanceFunction: "dotproduct"})', 2 ** 53],
  ])('computes %s from two vectors of numbers', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })

  it.each([
    'VECTORDISTANCE(c.nested, c.nested)',
    'VECTORDISTANCE(c.texts, c.vector)',
    'VECTORDISTANCE(c.vector, [1, 2, 3])',
    'VECTORDISTANCE([], [])',
    'VECTORDISTANCE(c.vector, c.nothing)',
    'VECTORDISTANCE(c.nothing, c.vector)',
    'VECTORDISTANCE(c.nil, c.vector)',
    'VECTORDISTANCE("3,4", c.vector)',
    'VECTORDISTANCE(c.vector, {x: 3, y: 4})',
    'VECTORDISTANCE([null, 4], c.vector)',
    'VECTORDISTANCE(c.vector, c.east, "true")',
    'VECTORDISTANCE(c.vector, c.east, null)',
    withOptions('null'),
    withOptions('"cosine"'),
    withOptions('{distanceFunction: "manhattan"}'),
    withOptions('{distanceFunction: null}'),
    withOptions('{dataType: "float64"}'),
    withOptions('{dataType: 32}'),
  ])('is undefined for wrong arguments, as in %s', (expression) => {
    expect(valueOf(expression)).toBeUndefined()
  })

  it('is undefined where the result is not a number: a cosine without direction, a sum that is too large', () => {
    expect(valueOf('VECTORDISTANCE(c.zero, c.vector)')).toBeUndefined()
    expect(valueOf('VECTORDISTANCE(c.huge, c.huge, true, {distanceFunction: "dotproduct"})')).toBeUndefined()
  })

  it('never returns -0', () => {
    expect(valueOf('VECTORDISTANCE(c.tiny, [1], true, {distanceFunction: "dotproduct"})')).toBe(0)
  })

  it.each(['VECTORDISTANCE([1])', 'VECTORDISTANCE([1], [1], true, {}, 1)'])(
    'is refused with a wrong count of arguments, as in %s',
    (expression) => {
      expect(() => valueOf(expression)).toThrow(QueryError)
    },
  )
})

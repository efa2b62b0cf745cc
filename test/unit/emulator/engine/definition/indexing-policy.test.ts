import { describe, expect, it } from 'vitest'
import {
  compositeIndexOf,
  isIndexed,
  parseIndexingPolicy,
  type IndexingPolicy,
  type OrderedPath,
} from '../../../../../src/emulator/engine/definition/indexing-policy.js'
import type { PathSteps } from '../../../../../src/emulator/engine/definition/index-path.js'

interface Rules {
  readonly included?: readonly string[]
  readonly excluded?: readonly string[]
  readonly composite?: readonly (readonly string[])[]
  readonly mode?: string
}

function aPolicy({
  included = [],
  excluded = [],
  composite = [],
  mode = 'consistent',
}: Rules): IndexingPolicy {
  return parseIndexingPolicy({
    indexingMode: mode,
    includedPaths: included.map((path) => ({ path })),
    excludedPaths: excluded.map((path) => ({ path })),
    compositeIndexes: composite.map((index) =>
      index.map((text) => {
        const [path = '', order] = text.split(' ')
        return order === undefined ? { path } : { path, order }
      }),
    ),
  })
}

function orderOf(text: string): readonly OrderedPath[] {
  return text.split(', ').map((item) => {
    const [path = '', direction] = item.split(' ')
    return { steps: path.split('.'), isDescending: direction === 'DESC' }
  })
}

describe('an indexing policy', () => {
  it.each<[string, Rules, PathSteps, boolean]>([
    ['includes everything', { included: ['/*'] }, ['a', 'b'], true],
    ['excludes one property', { included: ['/*'], excluded: ['/a/?'] }, ['a'], false],
    [
      'excludes a property, but not what is inside it',
      { included: ['/*'], excluded: ['/a/?'] },
      ['a', 'b'],
      true,
    ],
    [
      'excludes a property with everything inside it',
      { included: ['/*'], excluded: ['/a/*'] },
      ['a', 'b'],
      false,
    ],
    ['excludes the value at the start of a subtree', { included: ['/*'], excluded: ['/a/*'] }, ['a'], false],
    ['leaves names with the same beginning alone', { included: ['/*'], excluded: ['/a/*'] }, ['ab'], true],
    ['includes one property of an excluded tree', { included: ['/a/?'], excluded: ['/*'] }, ['a'], true],
    ['includes only what it names', { included: ['/a/?'], excluded: ['/*'] }, ['a', 'b'], false],
    [
      'prefers the longer path',
      { included: ['/food/ingredients/nutrition/*'], excluded: ['/*', '/food/ingredients/*'] },
      ['food', 'ingredients', 'nutrition', 'fat'],
      true,
    ],
    ['prefers /? to /*', { included: ['/*', '/a/?'], excluded: ['/a/*'] }, ['a'], true],
    ['prefers /? to /* when it excludes too', { included: ['/a/*'], excluded: ['/*', '/a/?'] }, ['a'], false],
    ['covers elements of arrays', { included: ['/a/[]/b/?'], excluded: ['/*'] }, ['a', 7, 'b'], true],
    ['tells elements from properties', { included: ['/a/[]/b/?'], excluded: ['/*'] }, ['a', 'x', 'b'], false],
    ['reads quoted names', { included: ['/"a-b"/"c/\\"d"/?'], excluded: ['/*'] }, ['a-b', 'c/"d'], true],
    ['always indexes id', { excluded: ['/*'] }, ['id'], true],
    ['always indexes _ts', { excluded: ['/*'] }, ['_ts'], true],
    ['indexes no other system property', { excluded: ['/*'] }, ['_etag'], false],
    ['indexes not even id in mode none', { mode: 'none' }, ['id'], false],
    [
      'excludes a path that it both includes and excludes',
      { included: ['/*'], excluded: ['/*'] },
      ['a'],
      false,
    ],
  ])('%s', (_rule, rules, steps, expected) => {
    expect(isIndexed(aPolicy(rules), steps)).toBe(expected)
  })

  it.each([
    ['a', 0],
    ['', 0],
    ['/a', 2],
    ['/a/', 2],
    ['/a/?/b', 2],
    ['/*/b', 0],
    ['/a"b/?', 2],
    ['/"a/?', 0],
    ['/a[]/?', 2],
  ])('refuses the path %j', (path, position) => {
    expect(() => aPolicy({ included: [path] })).toThrow(
      `The indexing path '${path}' could not be accepted, failed near position '${position}'.`,
    )
  })

  it.each([
    [{ includedPaths: {} }, 'The includedPaths of an indexing policy must be an array.'],
    [{ includedPaths: ['/*'] }, 'An entry of the includedPaths is "/*"; it must have a "path".'],
    [{ compositeIndexes: [{ path: '/a' }] }, 'Each of the compositeIndexes must be an array of paths.'],
    [{ compositeIndexes: [[{ path: '/a', order: 'up' }]] }, 'The order of a composite path is "up"'],
    [{ compositeIndexes: [[{ path: '/a/*' }]] }, "The indexing path '/a/*' could not be accepted"],
  ])('refuses %j', (settings, message) => {
    expect(() => parseIndexingPolicy({ indexingMode: 'consistent', ...settings })).toThrow(message)
  })
})

describe('a composite index', () => {
  it.each<[string, string, boolean]>([
    ['/name ascending,/age ascending', 'name ASC, age ASC', true],
    ['/name ascending,/age ascending', 'age ASC, name ASC', false],
    ['/name ascending,/age ascending', 'name DESC, age DESC', true],
    ['/name ascending,/age ascending', 'name ASC, age DESC', false],
    ['/name,/age descending', 'name DESC, age ASC', true],
    ['/name/?,/age', 'name ASC, age ASC', true],
    ['/name,/age,/timestamp', 'name ASC, age ASC, timestamp ASC', true],
    ['/name,/age,/timestamp', 'name ASC, age ASC', false],
    ['/name,/age', 'name ASC, age ASC, timestamp ASC', false],
    ['/who/name,/age', 'who.name ASC, age ASC', true],
  ])('(%s) orders by %s: %s', (index, order, expected) => {
    const policy = aPolicy({ composite: [['/other', '/age'], index.split(',')] })
    const found = compositeIndexOf(policy, orderOf(order))
    expect(found === policy.compositeIndexes[1] && found !== undefined).toBe(expected)
  })
})

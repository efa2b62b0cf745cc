import { expect, it } from 'vitest'
import { withoutUndefined } from '../../../src/platform/internal.js'

it('withoutUndefined removes properties that are undefined, and keeps others', () => {
  expect(Object.entries(withoutUndefined({ a: 1, b: undefined, c: null, d: false }))).toEqual([
    ['a', 1],
    ['c', null],
    ['d', false],
  ])
})

import { expect, it } from 'vitest'
import { withoutUndefined } from '../../../src/platform/internal.js'

it('properties without a value are left out, others stay', () => {
  expect(Object.entries(withoutUndefined({ a: 1, b: undefined, c: null, d: false }))).toEqual([
    ['a', 1],
    ['c', null],
    ['d', false],
  ])
})

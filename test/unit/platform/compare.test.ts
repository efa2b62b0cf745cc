import { expect, it } from 'vitest'
import { compare } from '../../../src/platform/internal.js'

it('compare orders values as < does', () => {
  expect(['B', 'a', '', 'a'].sort(compare)).toEqual(['', 'B', 'a', 'a'])
  expect([compare(1, 2), compare(Infinity, Infinity), compare(3, 2)]).toEqual([-1, 0, 1])
})

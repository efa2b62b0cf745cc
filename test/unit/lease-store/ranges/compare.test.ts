import { expect, it } from 'vitest'
import { compare } from '../../../../lease-store/ranges/compare.js'

it('`compare` orders values like <', () => {
  expect(['B', 'a', '', 'a'].sort(compare)).toEqual(['', 'B', 'a', 'a'])
  expect([compare(1n, 2n), compare(2n, 2n), compare(3n, 2n)]).toEqual([-1, 0, 1])
})

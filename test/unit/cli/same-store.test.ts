import { expect, it } from 'vitest'
import { forSameStore } from '../../../src/cli/output/same-store.js'

it.each([
  [undefined, 'stepward leases'],
  ['./data', 'stepward leases --data ./data'],
  ['my data', 'stepward leases --data "my data"'],
])('a suggested command names the data directory %o', (data, command) => {
  expect(forSameStore('stepward leases', data === undefined ? {} : { data })).toBe(command)
})

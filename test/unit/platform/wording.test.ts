import { expect, it } from 'vitest'
import { counted } from '../../../src/platform/internal.js'

it.each([
  [0, 'job', '0 jobs'],
  [1, 'job', '1 job'],
  [2, 'job', '2 jobs'],
  [12_345, 'request', '12,345 requests'],
])('`counted` puts the noun after %d into the right number', (count, noun, text) => {
  expect(counted(count, noun)).toBe(text)
})

it('`counted` accepts an irregular plural', () => {
  expect([1, 2].map((count) => counted(count, 'job has', 'jobs have'))).toEqual(['1 job has', '2 jobs have'])
})

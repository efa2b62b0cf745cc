import { expect, it } from 'vitest'
import { ReservedTimes } from './rate-rule.js'

it.each([
  { times: [0, 0, 500, 1_000], isRight: true },
  { times: [0, 0, 0], isRight: false },
  { times: [0, 500, 501, 1_001, 1_500, 1_999], isRight: true },
  { times: [0, 5_000, 5_000, 5_498], isRight: false },
  { times: [5_000, 4_000, 4_500, 4_500], isRight: true },
])('a rate of 2 a second with burst 2 reserves these times or not (I43): %j', ({ times, isRight }) => {
  const reserved = new ReservedTimes()
  reserved.ruledBy({ operated: null, rules: { perSecond: 2, burst: 2 } })
  for (const [index, time] of times.entries()) reserved.add(`step-${index}`, time)
  expect(reserved.tooMany() === null).toBe(isRight)
  reserved.ruledBy({ operated: null, rules: { atOnce: 1 } })
  expect(reserved.tooMany()).toBeNull()
})

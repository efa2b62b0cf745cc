import { describe, expect, it } from 'vitest'
import { afterFailure, neverFailed, groupsOf } from '../../../../src/sas/notifier/alert-groups.js'
import { NotDelivered } from '../../../../src/sas/notifier/webhook.js'

const refused = new NotDelivered('answered 400', 400)

describe('an alert after a failed call', () => {
  it.each([
    ['of 40, refused with 400', 40, refused, { atMost: 20, afterMs: 0 }],
    ['of 5, too large', 5, new NotDelivered('answered 413', 413), { atMost: 3, afterMs: 0 }],
    [
      'of 40, the receiver failed',
      40,
      new NotDelivered('answered 500', 500),
      { atMost: 20, afterMs: 30_000 },
    ],
    ['of 40, no reason known', 40, new Error('down'), { atMost: 20, afterMs: 30_000 }],
    [
      'of 40, too many calls',
      40,
      new NotDelivered('answered 429', 429),
      { atMost: Infinity, afterMs: 30_000 },
    ],
    ['of 40, not let in', 40, new NotDelivered('answered 401', 401), { atMost: Infinity, afterMs: 30_000 }],
    ['of 40, no answer', 40, new NotDelivered('no answer', null), { atMost: Infinity, afterMs: 30_000 }],
    ['alone, refused', 1, refused, { atMost: Infinity, afterMs: 30_000 }],
  ])('is sent again in smaller groups or after a pause, by the failure: %s', (_, count, error, expected) => {
    expect(afterFailure(neverFailed, count, error)).toMatchObject({ ...expected, failures: 1 })
  })

  it('is sent after growing pauses of at most an hour when it is refused alone', () => {
    const pauses = [0, 1, 2, 20].map((failures) => afterFailure({ atMost: 1, failures }, 1, refused).afterMs)
    expect(pauses).toEqual([30_000, 60_000, 120_000, 3_600_000])
  })
})

describe('the calls of one turn', () => {
  const one = (atMost: number) => ({ atMost, failures: 0 })
  const sizes = (groups: readonly (readonly unknown[])[]) => groups.map(({ length }) => length)

  it('contain one alert each while there are calls left', () => {
    expect(sizes(groupsOf([one(Infinity), one(20)], 2).now)).toEqual([1, 1])
  })

  it('combine untried alerts, and limit groups of failed alerts to their size', () => {
    const pending = [
      ...Array.from({ length: 5 }, () => one(2)),
      ...Array.from({ length: 9 }, () => one(Infinity)),
    ]
    const { now, later } = groupsOf(pending, 3)
    expect(sizes(now)).toEqual([9, 2, 2])
    expect(later).toHaveLength(1)
  })
})

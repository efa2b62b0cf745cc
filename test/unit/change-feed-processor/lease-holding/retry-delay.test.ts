import { describe, expect, it } from 'vitest'
import { FeedError } from '../../../../src/change-feed-processor/index.js'
import { retryDelayMs } from '../../../../src/change-feed-processor/lease-holding/retry-delay.js'
import { seededRandom } from '../../../../src/platform/index.js'
import { storeError } from '../../../support/intercepted.js'

describe('the delay before a request is retried', () => {
  it('is what the server advises', () => {
    expect(retryDelayMs(storeError(429, { retryAfterInMs: 1_234 }), 1, seededRandom(1))).toBe(1_234)
  })

  it.each([429, 449, 503])('is what the header of a %i advises, even inside a FeedError', (code) => {
    const error = new FeedError('not read', storeError(code, { headers: { 'x-ms-retry-after-ms': '77' } }))
    expect(retryDelayMs(error, 9, seededRandom(1))).toBe(77)
  })

  it.each([
    ['nothing', null],
    ['a text', 'busy'],
    ['no header', storeError(429, { headers: null as unknown as Record<string, string> })],
    ['less than nothing', storeError(429, { retryAfterInMs: -5 })],
    ['no number', storeError(429, { headers: { 'x-ms-retry-after-ms': 'soon' } })],
  ])('is the default when the error advises %s', (_what, error) => {
    expect(retryDelayMs(error, 1, { next: () => 0, id: () => 'id' })).toBe(100)
  })

  it('may be zero', () => {
    expect(retryDelayMs(storeError(449, { retryAfterInMs: 0 }), 3, seededRandom(1))).toBe(0)
  })

  it('grows with the failures up to a limit when the server advises nothing', () => {
    const random = { next: () => 0, id: () => 'id' }
    const delays = [1, 2, 3, 20].map((failures) => retryDelayMs(storeError(503), failures, random))
    expect(delays).toEqual([100, 200, 400, 5_000])
    expect(retryDelayMs(storeError(429), 1, random)).toBe(100)
  })
})

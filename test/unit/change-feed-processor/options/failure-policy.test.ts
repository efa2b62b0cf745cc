import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterFailure, type Slice } from '../../../../src/change-feed-processor/options/failure-policy.js'

const backoff = { minMs: 1, maxMs: 1 }

/** Delivers a page whose poisons always fail. Returns the places in the order handled, and the attempts. */
function delivered(size: number, poisons: ReadonlySet<number>, maxAttempts: number) {
  const order: string[] = []
  let attempts = 0
  const open: Slice[] = [{ from: 0, to: size, failures: 0, isPart: false }]
  for (let slice = open.pop(); slice !== undefined; slice = open.pop()) {
    attempts += 1
    const { from, to } = slice
    const places = Array.from({ length: to - from }, (_, offset) => from + offset)
    if (!places.some((place) => poisons.has(place))) {
      order.push(...places.map(String))
      continue
    }
    const next = afterFailure(slice, { tries: maxAttempts, backoff })
    if (next.kind === 'retry') open.push(next.slice)
    else if (next.kind === 'bisect') open.push(...[...next.halves].reverse())
    else order.push(`aside ${next.slice.from}`)
  }
  return { order, attempts }
}

describe('the failure policy', () => {
  it('sets aside exactly the poisons, delivers the rest, and keeps the order (I10, F-C13)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.nat(59)),
        fc.integer({ min: 1, max: 4 }),
        (size, places, maxAttempts) => {
          const poisons = new Set(places.filter((place) => place < size))
          const expected = Array.from({ length: size }, (_, place) =>
            poisons.has(place) ? `aside ${place}` : String(place),
          )
          expect(delivered(size, poisons, maxAttempts).order).toEqual(expected)
        },
      ),
    )
  })

  it('takes few attempts to find one poison among many', () => {
    // 3 attempts for the page, 2 for each of at most 7 levels, and 2 more for the poison itself.
    expect(delivered(100, new Set([77]), 3).attempts).toBeLessThanOrEqual(3 + 2 * 7 + 2)
  })

  it('tries a part of a page once, and a single change as often as a page', () => {
    const limits = { tries: 3, backoff }
    const part = { from: 4, to: 6, failures: 0, isPart: true }
    expect(afterFailure(part, limits)).toEqual({
      kind: 'bisect',
      halves: [
        { from: 4, to: 5, failures: 0, isPart: true },
        { from: 5, to: 6, failures: 0, isPart: true },
      ],
    })
    const single = { ...part, to: 5 }
    expect(afterFailure(single, limits).kind).toBe('retry')
    expect(afterFailure({ ...single, failures: 2 }, limits).kind).toBe('setAside')
    const page = { ...part, isPart: false }
    expect(afterFailure(page, limits).kind).toBe('retry')
    expect(afterFailure({ ...page, failures: 2 }, limits).kind).toBe('bisect')
  })

  it('never gives up without a limit', () => {
    const page: Slice = { from: 0, to: 1, failures: 1_000_000, isPart: false }
    expect(afterFailure(page, { tries: null, backoff })).toEqual({
      kind: 'retry',
      slice: { ...page, failures: 1_000_001 },
    })
  })
})

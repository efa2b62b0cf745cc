import type { ChangeFeedIteratorResponse } from '@azure/cosmos'
import { describe, expect, it } from 'vitest'
import type { FeedPosition } from '../../../../src/change-feed-processor/index.js'
import { pageOf, RangeTokens } from '../../../../src/change-feed-processor/feed/cosmos-feed-page.js'
import { decodeChange } from '../../../../src/change-feed-processor/feed/decode-change.js'

type Answer = ChangeFeedIteratorResponse<readonly unknown[]>

const from: FeedPosition = {
  feedRange: { min: '', max: 'FF' },
  start: { kind: 'continuation', token: '"4"' },
}

/** Returns an answer without changes. Its token has these ranges, each at its own position. */
function answerOf(...ranges: readonly (readonly [min: string, max: string, token: string])[]): Answer {
  const Continuation = ranges.map(([minInclusive, maxExclusive, continuationToken]) => ({
    minInclusive,
    maxExclusive,
    continuationToken,
  }))
  const answer: unknown = {
    statusCode: 304,
    headers: { 'x-ms-request-charge': '1.9', 'x-ms-version': 3 },
    continuationToken: JSON.stringify({ rid: 'r', Continuation }),
    result: [],
  }
  return answer as Answer
}

describe('an answer of the iterator', () => {
  it('yields its ranges in order, whichever the iterator reads next (pitfall 6)', () => {
    const page = pageOf(answerOf(['80', 'FF', '"7"'], ['', '80', '"9"']), from, decodeChange)
    expect(page.next).toEqual([
      { feedRange: { min: '', max: '80' }, start: { kind: 'continuation', token: '"9"' } },
      { feedRange: { min: '80', max: 'FF' }, start: { kind: 'continuation', token: '"7"' } },
    ])
  })

  it.each([
    ['twice', [['', '80', '"9"'] as const, ['', '80', '"9"'] as const, ['80', 'FF', '"7"'] as const]],
    ['beside a part of it', [['', 'FF', '"9"'] as const, ['80', 'FF', '"7"'] as const]],
    ['not at all', [['', '80', '"9"'] as const]],
  ])('is refused when it has a range %s (pitfall 8)', (_name, ranges) => {
    expect(() => pageOf(answerOf(...ranges), from, decodeChange)).toThrow(
      expect.objectContaining({
        code: 410,
        message: expect.stringContaining('the continuation covers') as string,
      }),
    )
  })

  it('yields the same positions whether the tokens before it were alike or not, also after a split', () => {
    const tokens = new RangeTokens()
    const tokensOf = (...ranges: [string, string, string][]): unknown[] => {
      const answer = answerOf(...ranges)
      const etag = ranges.at(-1)?.[2] ?? ''
      const known = pageOf(Object.assign(answer, { headers: { etag } }), from, decodeChange, tokens)
      expect(known.next).toEqual(pageOf(answer, from, decodeChange).next)
      return known.next.map(({ start }) => (start.kind === 'continuation' ? start.token : start.kind))
    }
    expect(tokensOf(['', 'FF', '"9"'])).toEqual(['"9"'])
    expect(tokensOf(['', 'FF', '"10"'])).toEqual(['"10"'])
    expect(tokensOf(['', '80', '"10"'], ['80', 'FF', '"12"'])).toEqual(['"10"', '"12"'])
    expect(tokensOf(['', 'FF', '"13"'])).toEqual(['"13"'])
    // The etag of an answer that is not the iterator's position is ignored.
    const other = Object.assign(answerOf(['', 'FF', '"14"']), { headers: { etag: '"99"' } })
    expect(pageOf(other, from, decodeChange, tokens).next[0]?.start).toEqual({
      kind: 'continuation',
      token: '"14"',
    })
  })

  it('yields the charge of the header, and headers as text (pitfall 7)', () => {
    const { charge, headers } = pageOf(answerOf(['', 'FF', '"9"']), from, decodeChange)
    expect([charge, headers['x-ms-version']]).toEqual([1.9, '3'])
  })
})

import { describe, expect, it } from 'vitest'
import type { FirstPosition } from '../../../../lease-store/index.js'
import type { Change, ChangePage } from '../../../../src/change-feed-processor/feed/change-feed.js'
import { sinceFirstPosition, startOf } from '../../../../src/change-feed-processor/feed/start-position.js'
import { aLease } from '../../../support/a-lease.js'

describe('the position from which a lease continues', () => {
  it.each([
    [{ continuationToken: '"7"' }, 'now', { kind: 'continuation', token: '"7"' }],
    [{ firstPosition: { kind: 'time', atMs: 5 } }, 'now', { kind: 'time', atMs: 5 }],
    [{ firstPosition: null }, 'now', { kind: 'now' }],
    [{ firstPosition: null }, 'beginning', { kind: 'beginning' }],
    [{ firstPosition: null }, new Date(9), { kind: 'time', atMs: 9 }],
    [{ firstPosition: null }, new Date(0), { kind: 'beginning' }],
    [{ firstPosition: null }, new Date(-1), { kind: 'beginning' }],
  ] as const)('follows from the lease %j and the start position %j', (fields, startFrom, start) => {
    expect(startOf(aLease(fields), startFrom)).toEqual(start)
  })
})

describe('a page from the position of a merged partition', () => {
  it('is delivered without changes from before the first position of its lease', () => {
    const atMs = Date.parse('2026-01-01T00:00:10.700Z')
    const change = (id: string, atSecond: number) =>
      ({ id, _ts: Date.parse('2026-01-01T00:00:00Z') / 1_000 + atSecond, _lsn: 1 }) as unknown as Change
    const page = {
      changes: [
        change('long before', 3),
        change('before', 8),
        change('within the second before', 9),
        change('after', 11),
      ],
      next: [],
    } as unknown as ChangePage<Change>
    const left = (first: FirstPosition | null) => sinceFirstPosition(page, first).changes.map(({ id }) => id)
    expect(left({ kind: 'time', atMs })).toEqual(['within the second before', 'after'])
    expect(left({ kind: 'beginning' })).toHaveLength(4)
    expect(left(null)).toHaveLength(4)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Change, ChangePage, FeedPosition } from '../../../../src/change-feed-processor/index.js'
import {
  positionAfterAll,
  positionsIn,
} from '../../../../src/change-feed-processor/delivery/page-positions.js'

const positionAt = (token: string, min = '', max = 'FF'): FeedPosition => ({
  feedRange: { min, max },
  start: { kind: 'continuation', token },
})

function pageOf(lsns: readonly number[], next: readonly FeedPosition[]): ChangePage {
  const changes = lsns.map((_lsn, index): Change => ({ id: `d${index}`, _etag: '"e"', _ts: 1, _lsn }))
  return { changes, next, isDrained: false, charge: 1, sessionToken: null, headers: {}, diagnostics: null }
}

describe('positions inside a page', () => {
  it('lie only between transactions, and the last is that of the page', () => {
    expect(positionsIn(pageOf([3, 3, 4, 6, 6], [positionAt('"9"')]))).toEqual([
      null,
      '"3"',
      '"4"',
      null,
      '"9"',
    ])
  })

  it('are missing where transactions that were numbered separately overlap', () => {
    expect(positionsIn(pageOf([3, 7, 4, 8], [positionAt('"8"')]))).toEqual(['"3"', null, '"7"', '"8"'])
  })

  it('are missing if the token of the page is not a number or lies before its changes', () => {
    expect(positionsIn(pageOf([3, 4], [positionAt('"x"')]))).toEqual([null, '"x"'])
    expect(positionsIn(pageOf([3, 4], [positionAt('"2"')]))).toEqual([null, '"2"'])
    expect(positionsIn(pageOf([3, 4], [positionAt('"9"x')]))).toEqual([null, '"9"x'])
    expect(positionsIn(pageOf([3, 4], [positionAt('x"9"')]))).toEqual([null, 'x"9"'])
  })

  it('are found for numbers of any length', () => {
    expect(positionsIn(pageOf([13, 14], [positionAt('"19"')]))).toEqual(['"13"', '"19"'])
  })

  it('are missing if the page has no position to continue from', () => {
    expect(positionAfterAll(pageOf([3], []))).toBeNull()
    expect(
      positionAfterAll(pageOf([3], [{ feedRange: { min: '', max: 'FF' }, start: { kind: 'now' } }])),
    ).toBeNull()
    expect(positionAfterAll(pageOf([3], [positionAt('"4"')]))).toBe('"4"')
    expect(positionsIn(pageOf([3, 4], []))).toEqual([null, null])
  })

  it('are missing in a page that reports a split, because it may show only one child (F-P1)', () => {
    const parts = [positionAt('"9"', '', '7F'), positionAt('"2"', '7F', 'FF')]
    expect(positionsIn(pageOf([3, 4], parts))).toEqual([null, null])
  })

  it('never pass a change that comes after them (I10)', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 12 }), (lsns) => {
        const positions = positionsIn(pageOf(lsns, [positionAt(`"${Math.max(...lsns)}"`)]))
        for (const [index, token] of positions.entries()) {
          if (token === null) continue
          const at = Number(token.replaceAll('"', ''))
          expect(lsns.slice(index + 1).every((lsn) => lsn > at)).toBe(true)
          expect(lsns.slice(0, index + 1).every((lsn) => lsn <= at)).toBe(true)
        }
      }),
    )
  })
})

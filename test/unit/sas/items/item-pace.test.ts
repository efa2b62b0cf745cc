import { describe, expect, it } from 'vitest'
import { ItemPace, restOfItemMs } from '../../../../src/sas/items/item-pace.js'

describe('the pauses between reads of an item', () => {
  it('double from half a second to 5 s, if no item has ended yet', () => {
    expect([0, 500, 1_000, 4_000, 60_000].map((elapsedMs) => restOfItemMs(elapsedMs, null))).toEqual([
      500, 500, 1_000, 4_000, 5_000,
    ])
  })

  it('end when items usually end, and then grow from a quarter of that time', () => {
    const usual = { tookMs: 6_000, isHeard: false }
    expect([0, 2_000, 6_000, 8_000, 60_000].map((elapsedMs) => restOfItemMs(elapsedMs, usual))).toEqual([
      6_000, 4_000, 1_500, 2_000, 5_000,
    ])
    expect(restOfItemMs(20, { tookMs: 20, isHeard: false })).toBe(50)
    expect(restOfItemMs(900_000, { tookMs: 600_000, isHeard: false })).toBe(150_000)
  })

  it('are long if the ends are reported, because a read is then only a fallback', () => {
    const usual = { tookMs: 6_000, isHeard: true }
    expect([0, 12_000, 60_000].map((elapsedMs) => restOfItemMs(elapsedMs, usual))).toEqual([
      12_000, 6_000, 48_000,
    ])
    expect(restOfItemMs(0, { tookMs: 20, isHeard: true })).toBe(500)
  })

  it('follow what the items of a workflow took, and quicker ones sooner', () => {
    const pace = new ItemPace()
    expect(pace.usual('a')).toBeNull()
    pace.note('a', 1_000, false)
    pace.note('a', 2_000, true)
    expect(pace.usual('a')).toEqual({ tookMs: 1_200, isHeard: true })
    pace.note('a', 200, true)
    expect(pace.usual('a')?.tookMs).toBe(700)
    for (let other = 0; other < 1_000; other += 1) pace.note(`other ${other}`, 1, true)
    expect(pace.usual('a')).toBeNull()
  })
})

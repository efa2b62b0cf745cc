import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LowWaterMark } from '../../../../src/change-feed-processor/delivery/low-water-mark.js'
import type { TrackedPage } from '../../../../src/change-feed-processor/delivery/progress.js'

const pageOfNobody: TrackedPage = {
  from: { feedRange: { min: '', max: 'FF' }, start: { kind: 'beginning' } },
  before: 0,
  positionAfter: () => null,
  page: {
    changes: [],
    next: [],
    isDrained: false,
    charge: 0,
    sessionToken: null,
    headers: {},
    diagnostics: null,
  },
}

describe('the low-water mark', () => {
  it('returns the last position that it passes in each page, once', () => {
    const mark = new LowWaterMark()
    const [first, second] = [
      { ...pageOfNobody, before: 0 },
      { ...pageOfNobody, before: 2 },
    ]
    const tickets = [mark.add(first, 0), mark.add(first, 1), mark.add(second, 0), mark.add(second, 1)]
    expect(tickets.map(({ isDone }) => isDone)).toEqual([false, false, false, false])
    const [one, two, three] = tickets
    if (one === undefined || two === undefined || three === undefined) throw new Error('no ticket')
    expect(mark.done(two)).toEqual([])
    expect(mark.done(three)).toEqual([])
    expect(mark.done(one)).toEqual([
      { page: first, count: 2 },
      { page: second, count: 1 },
    ])
  })

  it('never passes a change that is not done, and reaches the end in any order (I10)', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(sizes, fc.infiniteStream(fc.nat()), (pageSizes, picks) => {
        const mark = new LowWaterMark()
        const pages = pageSizes.map((_size, before) => ({ ...pageOfNobody, before }))
        const open = pages.flatMap((page, at) =>
          Array.from({ length: pageSizes[at] ?? 0 }, (_, index) => mark.add(page, index)),
        )
        const all = [...open]
        let height = 0
        for (const pick of picks) {
          const [ticket] = open.splice(pick % open.length, 1)
          if (ticket === undefined) break
          for (const { page, count } of mark.done(ticket))
            height = pageSizes.slice(0, page.before).reduce((sum, size) => sum + size, 0) + count
          const firstOpen = all.findIndex(({ isDone }) => !isDone)
          expect(height).toBe(firstOpen < 0 ? all.length : firstOpen)
          expect(mark.size).toBe(all.length - height)
          if (open.length === 0) break
        }
        expect(height).toBe(all.length)
      }),
    )
  })
})

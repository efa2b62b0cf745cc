import { describe, expect, it } from 'vitest'
import { PageSize } from '../../../../src/change-feed-processor/reading/page-size.js'

const tooLarge = new Error('status 400: Reduce page size and try again.')

describe('the size of pages', () => {
  it('halves when the service asks for it, and doubles with answers up to the maximum', () => {
    const pageSize = new PageSize(5)
    expect([true, true, true, false].map(() => [pageSize.shrinkFor(tooLarge), pageSize.current])).toEqual([
      [true, 3],
      [true, 2],
      [true, 1],
      [false, 1],
    ])
    const grown = [1, 2, 3, 4].map(() => {
      pageSize.grow()
      return pageSize.current
    })
    expect(grown).toEqual([2, 4, 5, 5])
  })

  it('does not change after other errors', () => {
    const pageSize = new PageSize(5)
    expect([pageSize.shrinkFor(new Error('Request rate is large')), pageSize.current]).toEqual([false, 5])
  })
})

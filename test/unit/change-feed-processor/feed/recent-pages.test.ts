import { describe, expect, it } from 'vitest'
import type { ChangePage } from '../../../../src/change-feed-processor/index.js'
import { RecentPages } from '../../../../src/change-feed-processor/feed/recent-pages.js'

const mebibyte = 2 ** 20

function page(bytes: number): ChangePage<object> {
  return {
    changes: [{}],
    next: [],
    isDrained: false,
    bytes,
    charge: 1,
    sessionToken: null,
    headers: {},
    diagnostics: null,
  }
}

describe('pages whose port knows their size', () => {
  it('are kept up to the bound, at twice the size of their JSON', () => {
    const pages = new RecentPages<object>({
      clock: { monotonic: () => 0 },
      maxBytes: 4 * mebibyte,
      maxAgeMs: 30_000,
    })
    for (const key of ['a', 'b', 'c', 'd']) pages.keep(key, page(0.9 * mebibyte))
    expect(['a', 'b', 'c', 'd'].map((key) => pages.find(key) !== undefined)).toEqual([
      false,
      false,
      true,
      true,
    ])
    pages.keep('large', page(2.1 * mebibyte))
    expect(['c', 'd', 'large'].map((key) => pages.find(key) !== undefined)).toEqual([true, true, false])
  })
})

import { describe, expect, it } from 'vitest'
import { FeedHints } from '../../../src/change-feed-processor/index.js'

describe('hints', () => {
  it('reach everybody who listens, until they stop', () => {
    const hints = new FeedHints()
    const heard: (string | null)[] = []
    const stop = hints.subscribe((range) => heard.push(range))
    hints.subscribe((range) => heard.push(range))
    hints.notify('1')
    stop()
    hints.notify(null)
    expect(heard).toEqual(['1', '1', null])
  })
})

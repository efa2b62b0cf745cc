import { describe, expect, it } from 'vitest'
import { FeedHints } from '../../../../src/change-feed-processor/internal.js'

describe('hints', () => {
  it('reach every subscriber until it unsubscribes', () => {
    const hints = new FeedHints()
    const heard: (string | null)[] = []
    const stop = hints.subscribe((range) => heard.push(range))
    hints.subscribe((range) => heard.push(range))
    hints.notify('1')
    stop()
    hints.notify(null)
    expect(heard).toEqual(['1', '1', null])
  })

  it('for a part reach that part and the whole, and hints for the whole reach every part', () => {
    const hints = new FeedHints()
    const heard: string[] = []
    hints.subscribe(() => heard.push('whole'))
    hints.part('agents').subscribe(() => heard.push('agents'))
    hints.part('scheduler').subscribe(() => heard.push('scheduler'))
    hints.part('agents').notify('1')
    expect(heard.splice(0).sort()).toEqual(['agents', 'whole'])
    hints.notify('1')
    expect(heard.sort()).toEqual(['agents', 'scheduler', 'whole'])
  })
})

import { beforeEach, describe, expect, it } from 'vitest'
import type { Change } from '../../../../src/change-feed-processor/index.js'
import { VirtualClock } from '../../../../src/platform/index.js'
import { WaitingSteps } from '../../../../src/sas/agents/waiting-steps.js'

let clock: VirtualClock
let waiting: WaitingSteps
beforeEach(() => {
  clock = new VirtualClock()
  waiting = new WaitingSteps(clock)
})

function changeOf(ageSeconds: number): Change {
  return { id: 'a', _ts: Math.floor(clock.now() / 1_000) - ageSeconds, _lsn: 1, _etag: 'e', _rid: 'r' }
}

function sinceSeconds(): number | null {
  const sinceMs = waiting.sinceMs()
  return sinceMs === null ? null : Math.floor(clock.now() / 1_000) - sinceMs / 1_000
}

describe('the steps that wait for agents', () => {
  it('are none at first', () => {
    expect(waiting.sinceMs()).toBeNull()
  })

  it('wait since the oldest dispatch that waits for a slot, in any range', () => {
    const ends = [30, 40, 20].map((age, index) => waiting.add(`range-${index % 2}`, changeOf(age)))
    expect(sinceSeconds()).toBe(40)
    ends[1]?.()
    expect(sinceSeconds()).toBe(30)
    ends[0]?.()
    ends[2]?.()
    expect(sinceSeconds()).toBeNull()
  })

  it('wait since the newest change of a page that is old, because more such changes follow', () => {
    waiting.begun('0', [changeOf(60), changeOf(50)])
    expect(sinceSeconds()).toBe(50)
    waiting.begun('0', [changeOf(40), changeOf(5)])
    expect(sinceSeconds()).toBeNull()
  })

  it('are none when the feed has no more changes, or when another instance has the range', () => {
    for (const over of [() => waiting.drained('0'), () => waiting.forget('0')]) {
      waiting.begun('0', [changeOf(60)])
      waiting.drained('1')
      expect(sinceSeconds()).toBe(60)
      over()
      expect(sinceSeconds()).toBeNull()
    }
  })
})

import { beforeEach, describe, expect, it } from 'vitest'
import type { Change } from '../../../../src/change-feed-processor/index.js'
import { VirtualClock } from '../../../../src/platform/index.js'
import { WaitingSteps } from '../../../../src/sas/agents/waiting-steps.js'

let clock: VirtualClock
let waiting: WaitingSteps
beforeEach(() => {
  clock = new VirtualClock(1_000_000_000)
  waiting = new WaitingSteps(clock)
})

const seconds = (age: number): number => clock.now() / 1_000 - age
const changeOf = (age: number): Change => ({ id: 'a', _ts: seconds(age), _lsn: 1, _etag: 'e', _rid: 'r' })

/** The age of the position, and of each line, in seconds. */
function ages(leaseToken = '0'): readonly [number, Readonly<Record<string, number>>] {
  const { begunUntilMs, lines } = waiting.position(leaseToken)
  const age = (ms: number): number => (clock.now() - ms) / 1_000
  return [age(begunUntilMs), Object.fromEntries([...lines].map(([agent, ms]) => [agent, age(ms)]))]
}

describe('the position of agents in a range', () => {
  it('is the beginning until a page or an empty read comes', () => {
    expect(waiting.position('0')).toEqual({ begunUntilMs: 0, lines: new Map() })
  })

  it('is the newest change of the delivered pages, and never goes back', () => {
    waiting.delivered('0', [changeOf(60), changeOf(50)])
    expect(ages()).toEqual([50, {}])
    waiting.delivered('0', [changeOf(55)])
    expect(ages()).toEqual([50, {}])
    expect(waiting.position('1').begunUntilMs).toBe(0)
  })

  it('is the time of a read that found nothing, less what clocks and whole seconds may hide', () => {
    waiting.drained('0', 7_000)
    expect(ages()).toEqual([10, {}])
    waiting.delivered('0', [changeOf(4)])
    waiting.drained('0', 5_000)
    expect(ages()).toEqual([4, {}])
  })

  it('leaves out steps that wait for a slot, or whose attempt begins, by agent', () => {
    waiting.delivering('0')
    const ends = [30, 40].map((age) => waiting.waits('0', 'bank', { _ts: seconds(age) }))
    const endEntering = waiting.enters('0', 'shop', { _ts: seconds(20) })
    waiting.enters(null, 'shop', { _ts: seconds(90) })
    waiting.delivered('0', [changeOf(10)])
    expect(ages()).toEqual([10, { bank: 40, shop: 20 }])
    ends[1]?.()
    endEntering()
    expect(ages()).toEqual([10, { bank: 30 }])
  })

  it('keeps the steps of a delivery that failed until their page is delivered again', () => {
    waiting.delivering('0')
    waiting.waits('0', 'bank', { _ts: seconds(40) })
    waiting.delivered('0', [changeOf(10)])
    waiting.delivering('1')
    expect(ages()).toEqual([10, { bank: 40 }])
    waiting.delivering('0')
    expect(ages()).toEqual([10, {}])
  })

  it('is the beginning again after the range had another owner', () => {
    waiting.delivered('0', [changeOf(60)])
    waiting.waits('0', 'bank', { _ts: seconds(70) })
    waiting.forget('0')
    expect(waiting.position('0')).toEqual({ begunUntilMs: 0, lines: new Map() })
  })
})

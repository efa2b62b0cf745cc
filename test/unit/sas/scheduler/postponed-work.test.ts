import { beforeEach, describe, expect, it } from 'vitest'
import { seededRandom, VirtualClock } from '../../../../src/platform/index.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { PostponedWork, type RefusedWork } from '../../../../src/sas/scheduler/postponed-work.js'
import { TelemetryRecorder } from '../../../../src/telemetry/index.js'

const busy = new StoreUnavailable('busy', { cause: null })

let clock: VirtualClock
let telemetry: TelemetryRecorder
let postponed: PostponedWork
let log: string[]
let served: Set<string>

beforeEach(() => {
  clock = new VirtualClock()
  telemetry = new TelemetryRecorder()
  postponed = new PostponedWork({ clock, telemetry, random: seededRandom(1) })
  log = []
  served = new Set()
})

/** Returns work that succeeds as soon as its partition is served. */
function workOn(pk: string, name = pk, error = busy): RefusedWork {
  const again = (): Promise<void> => {
    log.push(`try ${name}`)
    return served.has(pk) ? Promise.resolve() : Promise.reject(error)
  }
  return { pk, error, again }
}

function hold(): () => void {
  log.push('hold')
  return () => void log.push('release')
}

const partitions = (count: number): RefusedWork[] =>
  Array.from({ length: count }, (_, index) => workOn(`p${index}`))

describe('postponed work', () => {
  it('is retried with growing pauses, and holds the checkpoint until it is done (F-X2, I10)', async () => {
    expect(postponed.take('0', [workOn('a')], hold)).toBe(true)
    expect(postponed.refusalOf('0', 'a')).toBe(busy)
    await clock.advance(60_000)
    const tries = log.filter((line) => line === 'try a').length
    expect(tries).toBeGreaterThan(5)
    expect(tries).toBeLessThan(20)
    expect(log).not.toContain('release')
    expect(telemetry.of('loop.failed')).toHaveLength(tries)
    served.add('a')
    await clock.advance(10_000)
    expect(log.slice(-2)).toEqual(['try a', 'release'])
    expect(postponed.refusalOf('0', 'a')).toBeNull()
    expect(clock.pendingTimers).toBe(0)
  })

  it('is done in order within its partition, and independently of other partitions', async () => {
    postponed.take('0', [workOn('a', 'a1'), workOn('b', 'b1')], hold)
    postponed.take('0', [workOn('a', 'a2')], hold)
    served.add('b')
    await clock.advance(5_000)
    expect(postponed.refusalOf('0', 'b')).toBeNull()
    served.add('a')
    await clock.advance(10_000)
    expect(log.slice(-4)).toEqual(['try a1', 'release', 'try a2', 'release'])
    expect(log.filter((line) => line === 'try a2')).toHaveLength(1)
  })

  it('waits for as long as the store asks', async () => {
    const asked = new StoreUnavailable('busy', { cause: null, retryAfterMs: 30_000 })
    postponed.take('0', [workOn('a', 'a', asked)], hold)
    await clock.advance(29_999)
    expect(log).toEqual(['hold'])
    await clock.advance(1)
    expect(log).toEqual(['hold', 'try a'])
  })

  it('is refused and holds nothing when too many partitions are in trouble', () => {
    expect(postponed.take('0', partitions(17), hold)).toBe(false)
    expect(log).toEqual([])
    expect(postponed.take('0', partitions(16), hold)).toBe(true)
    expect(postponed.take('0', [workOn('p0')], hold)).toBe(true)
    expect(postponed.take('0', [workOn('another')], hold)).toBe(false)
  })

  it('is refused when too much of it waits', () => {
    const many = Array.from({ length: 1_000 }, () => workOn('a'))
    expect(postponed.take('0', many, hold)).toBe(true)
    expect(postponed.take('0', [workOn('a')], hold)).toBe(false)
  })

  it('is forgotten only with its own lease', async () => {
    postponed.take('0', [workOn('a')], hold)
    postponed.take('1', [workOn('b')], hold)
    postponed.forgetLease('0')
    expect(postponed.refusalOf('0', 'a')).toBeNull()
    served.add('a').add('b')
    await clock.advance(60_000)
    expect(log).toEqual(['hold', 'hold', 'try b', 'release'])
  })
})

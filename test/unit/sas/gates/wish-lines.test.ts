import { beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../src/platform/index.js'
import { emptyGate } from '../../../../src/sas/gates/gate.js'
import { WishLines } from '../../../../src/sas/gates/wish-lines.js'
import type { Wish } from '../../../../src/sas/gates/wishes.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'

const down = new StoreUnavailable('the store does not answer', { cause: null })

let clock: VirtualClock
/** The numbers of wishes in each write that was tried. */
let writes: number[]
let failing: number
let lines: WishLines

beforeEach(() => {
  clock = new VirtualClock()
  writes = []
  failing = 0
  lines = new WishLines({
    clock,
    hasRoom: () => true,
    write: (key, wishes) => {
      writes.push(wishes.length)
      failing -= 1
      if (failing >= 0) return Promise.reject(down)
      return Promise.resolve(wishes.map(() => ({ gate: emptyGate(key, 0), answer: null })))
    },
  })
})

function leave(stepId: string): Wish {
  return { kind: 'leave', visitor: { pk: 'job', jobId: 'job', stepId, entry: 0 } }
}

function leaveAll(count: number): Promise<PromiseSettledResult<void>[]> {
  const leaves = Array.from({ length: count }, (_, index) => lines.leaveForGood('bank', leave(`${index}`)))
  return Promise.allSettled(leaves)
}

describe('leaves whose write fails (F-G10)', () => {
  it('are written together at the next try', async () => {
    failing = 1
    const left = leaveAll(21)
    await clock.advance(2_000)
    expect(writes).toEqual([21, 21])
    expect((await left).map(({ status }) => status)).toEqual(Array(21).fill('fulfilled'))
  })

  it('are tried five times, with longer and longer pauses', async () => {
    failing = Infinity
    const left = leaveAll(1)
    await clock.advance(1_000)
    expect(writes).toHaveLength(1)
    await clock.advance(60_000)
    expect(writes).toHaveLength(5)
    expect(await left).toEqual([{ status: 'rejected', reason: down }])
  })

  it('are tried once more without a pause when the process stops', async () => {
    failing = 1
    const left = leaveAll(3)
    await clock.advance(1_000)
    await lines.stop()
    expect((await left).every(({ status }) => status === 'fulfilled')).toBe(true)
    failing = Infinity
    writes = []
    const late = leaveAll(1)
    await lines.stop()
    expect((await late)[0]?.status).toBe('rejected')
    expect(writes).toEqual([1, 1])
    expect(lines.isIdle).toBe(true)
  })

  it('do not hold up the wish that came with them', async () => {
    failing = 1
    const left = leaveAll(1)
    await expect(lines.wish('bank', { kind: 'rule' })).rejects.toBe(down)
    await clock.advance(2_000)
    expect(writes).toEqual([2, 1])
    expect((await left)[0]?.status).toBe('fulfilled')
  })
})

import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../src/platform/index.js'
import { BackgroundLoop } from '../../../src/platform/internal.js'

/** A loop on a virtual clock, with the times of its turns and its errors. */
function aLoop(options: { restMs?: number; turn?: (signal: AbortSignal) => Promise<void> } = {}) {
  const clock = new VirtualClock()
  const turnsAt: number[] = []
  const errors: unknown[] = []
  const loop = new BackgroundLoop({
    clock,
    turn: async (signal) => {
      turnsAt.push(clock.monotonic())
      await options.turn?.(signal)
      return options.restMs ?? 100
    },
    onError: (error) => {
      errors.push(error)
      return 1_000
    },
  })
  return { clock, loop, turnsAt, errors }
}

/** A promise, and the function that resolves it. */
function aGate() {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

describe('a running loop', () => {
  it('takes turns, and rests after each for as long as the turn asks', async () => {
    const { clock, loop, turnsAt } = aLoop()
    loop.start()
    await clock.advance(250)
    expect(turnsAt).toEqual([0, 100, 200])
    await loop.stop()
  })

  it('never overlaps turns, however long one takes', async () => {
    let underWay = 0
    let most = 0
    const { clock, loop, turnsAt } = aLoop({
      turn: async () => {
        underWay += 1
        most = Math.max(most, underWay)
        await clock.sleep(350)
        underWay -= 1
      },
    })
    loop.start()
    for (let ms = 0; ms < 1_000; ms += 50) {
      loop.wake()
      loop.start()
      await clock.advance(50)
    }
    expect(most).toBe(1)
    expect(turnsAt).toEqual([0, 350, 700])
    const stopped = loop.stop()
    await clock.advance(350)
    await stopped
  })

  it('goes on after a failed turn, and rests for as long as `onError` returns', async () => {
    const failure = new Error('the store is away')
    let failures = 1
    const { clock, loop, turnsAt, errors } = aLoop({
      turn: async () => {
        if (failures-- > 0) throw failure
      },
    })
    loop.start()
    await clock.advance(1_100)
    expect(errors).toEqual([failure])
    expect(turnsAt).toEqual([0, 1_000, 1_100])
    await loop.stop()
  })
})

describe('wake', () => {
  it('cuts one rest short', async () => {
    const { clock, loop, turnsAt } = aLoop()
    loop.start()
    await clock.advance(30)
    loop.wake()
    await clock.advance(120)
    expect(turnsAt).toEqual([0, 30, 130])
    await loop.stop()
  })

  it('during a turn lets the next turn follow at once', async () => {
    const gate = aGate()
    const { clock, loop, turnsAt } = aLoop({ turn: () => gate.opened })
    loop.start()
    await clock.advance(10)
    loop.wake()
    await clock.advance(10)
    expect(turnsAt).toEqual([0])
    gate.open()
    await clock.advance(90)
    expect(turnsAt).toEqual([0, 20])
    await loop.stop()
  })

  it('before the start changes nothing', async () => {
    const { clock, loop, turnsAt } = aLoop()
    loop.wake()
    loop.start()
    await clock.advance(50)
    expect(turnsAt).toEqual([0])
    await loop.stop()
  })
})

describe('stop', () => {
  it('ends a rest and leaves no timer', async () => {
    const { clock, loop, turnsAt } = aLoop()
    loop.start()
    await clock.advance(10)
    await loop.stop()
    await clock.advance(1_000)
    expect(turnsAt).toEqual([0])
    expect(clock.pendingTimers).toBe(0)
    expect(loop.isRunning).toBe(false)
  })

  it('aborts the signal of the turn under way, waits for the turn, and starts no rest after it', async () => {
    const gate = aGate()
    const signals: AbortSignal[] = []
    const { clock, loop } = aLoop({
      turn: async (signal) => {
        signals.push(signal)
        await gate.opened
      },
    })
    loop.start()
    await clock.advance(0)
    let isStopped = false
    const stopped = loop.stop().then(() => {
      isStopped = true
    })
    await clock.advance(0)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect([isStopped, loop.isRunning]).toEqual([false, true])
    gate.open()
    await stopped
    expect(clock.pendingTimers).toBe(0)
  })

  it('resolves even if the turn fails because its signal aborted', async () => {
    const { clock, loop, errors } = aLoop({
      turn: (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('interrupted'))
          })
        }),
    })
    loop.start()
    await clock.advance(0)
    await loop.stop()
    expect(errors).toEqual([new Error('interrupted')])
    expect(clock.pendingTimers).toBe(0)
  })

  it('takes effect when the first turn calls it, even before the first await of that turn', async () => {
    const stops: Promise<void>[] = []
    const { clock, loop, turnsAt } = aLoop({
      turn: async () => {
        stops.push(loop.stop())
      },
    })
    loop.start()
    await clock.advance(1_000)
    await Promise.all(stops)
    expect(turnsAt).toEqual([0])
    expect(loop.isRunning).toBe(false)
  })

  it('right after `start` prevents the first turn', async () => {
    const { loop, turnsAt } = aLoop()
    loop.start()
    await loop.stop()
    expect(turnsAt).toEqual([])
  })

  it('is harmless when nothing runs, and when it is called twice', async () => {
    const { clock, loop } = aLoop()
    await loop.stop()
    loop.start()
    await clock.advance(10)
    await Promise.all([loop.stop(), loop.stop()])
    expect(loop.isRunning).toBe(false)
  })
})

describe('start', () => {
  it('after a stop takes turns again, with a new signal', async () => {
    const signals: AbortSignal[] = []
    const { clock, loop, turnsAt } = aLoop({
      turn: async (signal) => {
        signals.push(signal)
      },
    })
    loop.start()
    await clock.advance(10)
    await loop.stop()
    loop.start()
    expect(loop.isRunning).toBe(true)
    await clock.advance(10)
    expect(turnsAt).toEqual([0, 10])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
    await loop.stop()
  })
})

import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { VirtualClock } from '../../../../src/platform/index.js'
import { Sweep } from '../../../../src/sas/timing/sweep.js'
import { TelemetryRecorder } from '../../../../src/telemetry/index.js'
import { deferred } from '../../../support/deferred.js'

const intervalMs = 30_000

let clock: VirtualClock
let telemetry: TelemetryRecorder
let asked: number[]
/** The answers to the next questions: a pause in milliseconds, or an error to throw. */
let answers: (number | Error)[]
beforeEach(() => {
  clock = new VirtualClock(0)
  telemetry = new TelemetryRecorder()
  asked = []
  answers = []
})

function started(options: { readonly intervalMs?: number; readonly ask?: () => Promise<null> } = {}): Sweep {
  const ask = (): Promise<number | null> => {
    asked.push(clock.now())
    if (options.ask !== undefined) return options.ask()
    const answer = answers.shift() ?? null
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
  }
  const sweep = new Sweep({ clock, telemetry, intervalMs, ...options, ask })
  sweep.start()
  onTestFinished(() => sweep.stop())
  return sweep
}

it('a sweep asks once for every lease acquired, and never without a lease (R104)', async () => {
  const sweep = started()
  await clock.advance(100_000)
  expect(asked).toEqual([])
  sweep.leaseAcquired('7', false)
  await clock.advance(0)
  expect(asked).toEqual([100_000])
  await clock.advance(100_000)
  expect(asked).toHaveLength(1)
})

it('a sweep asks at its interval while its instance owns the first range (R85)', async () => {
  const sweep = started()
  sweep.leaseAcquired('0', true)
  await clock.advance(2 * intervalMs)
  expect(asked).toEqual([0, intervalMs, 2 * intervalMs])
  sweep.leaseReleased('0')
  await clock.advance(100_000)
  expect(asked).toHaveLength(3)
})

it('a sweep that failed is reported, stays due and is soon repeated', async () => {
  const error = new Error('away')
  answers = [error, error]
  started().leaseAcquired('7', false)
  await clock.advance(100_000)
  expect(asked).toEqual([0, 1_000, 2_000])
  expect(telemetry.of('loop.failed')).toEqual([
    { type: 'loop.failed', loop: 'sweep', error },
    { type: 'loop.failed', loop: 'sweep', error },
  ])
})

it('a sweep that failed waits no longer than its interval', async () => {
  answers = [new Error('away')]
  started({ intervalMs: 50 }).leaseAcquired('7', false)
  await clock.advance(60)
  expect(asked).toEqual([0, 50])
})

it('an unfinished sweep continues after the given pause, even without the first range (F-V10)', async () => {
  answers = [500, 700]
  started().leaseAcquired('7', false)
  await clock.advance(100_000)
  expect(asked).toEqual([0, 500, 1_200])
})

it('a sweep asks again for a lease that is acquired while it asks the store (F-V1)', async () => {
  const pending = deferred<null>()
  const sweep = started({ ask: () => pending.promise })
  sweep.leaseAcquired('7', false)
  await clock.advance(0)
  expect(asked).toHaveLength(1)
  sweep.leaseAcquired('8', false)
  await clock.advance(0)
  expect(asked).toHaveLength(1)
  pending.resolve(null)
  await clock.advance(0)
  expect(asked).toHaveLength(2)
})

import { expect, it } from 'vitest'
import { notingStandstill } from '../../../../src/cli/output/standstill.js'
import { VirtualClock } from '../../../../src/platform/index.js'
import { recordedTerminal } from '../../../support/recorded-terminal.js'
import { deferred } from '../../../support/deferred.js'

/** Starts a run that ends on request, and records when it looks for a reason and what it notes. */
function running(answers: readonly (string | null)[]) {
  const clock = new VirtualClock()
  const { terminal, noted } = recordedTerminal()
  const end = deferred<string>()
  const looks: number[] = []
  let changed = (): void => undefined
  const look = (): Promise<string | null> => {
    looks.push(clock.monotonic())
    return Promise.resolve(answers[looks.length - 1] ?? null)
  }
  const ended = notingStandstill({ terminal, clock, look }, (told) => {
    changed = told
    return end.promise
  })
  return { clock, noted, looks, end, ended, change: () => changed() }
}

it('a run without changes for ten seconds notes the reason once', async () => {
  const run = running(['no role runs'])
  await run.clock.advance(9_000)
  run.change()
  await run.clock.advance(9_000)
  expect(run.noted).toEqual([])
  await run.clock.advance(1_000)
  expect(run.noted).toEqual(['stepward: no role runs'])
  await run.clock.advance(3_600_000)
  expect(run.noted).toHaveLength(1)
  run.end.resolve('done')
  expect(await run.ended).toBe('done')
})

it('a run notes each new reason, and looks again soon after a change', async () => {
  const run = running(['step one waits', 'step one waits', 'step two waits'])
  await run.clock.advance(30_000)
  expect(run.looks).toEqual([10_000, 20_000])
  expect(run.noted).toEqual(['stepward: step one waits'])
  for (let count = 0; count < 10; count += 1) {
    run.change()
    await run.clock.advance(5_000)
  }
  expect(run.looks, 'nothing is read while it moves').toHaveLength(2)
  await run.clock.advance(5_000)
  expect(run.looks).toEqual([10_000, 20_000, 85_000])
  expect(run.noted).toEqual(['stepward: step one waits', 'stepward: step two waits'])
  run.end.resolve('done')
  await run.ended
})

it('a run looks for a reason less and less often while all roles run, and stops when it ends', async () => {
  const run = running([])
  await run.clock.advance(100_000)
  expect(run.looks).toEqual([10_000, 20_000, 40_000, 80_000])
  run.end.reject(new Error('over'))
  await expect(run.ended).rejects.toThrow('over')
  await run.clock.advance(3_600_000)
  expect(run.looks).toHaveLength(4)
  expect(run.noted).toEqual([])
})

it('a run notes nothing when the store does not answer, because the command reports that', async () => {
  const clock = new VirtualClock()
  const { terminal, noted } = recordedTerminal()
  const end = deferred<null>()
  const look = () => Promise.reject(new Error('not reached'))
  const ended = notingStandstill({ terminal, clock, look }, () => end.promise)
  await clock.advance(60_000)
  end.resolve(null)
  expect(await ended).toBeNull()
  expect(noted).toEqual([])
})

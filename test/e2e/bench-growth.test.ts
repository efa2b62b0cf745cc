import { expect, it } from 'vitest'
import { run } from '../bench/growth/phases.js'
import { recordedJobs } from '../bench/growth/recorded-job.js'
import { scratchDirectory } from '../support/scratch-directory.js'

it('the benchmark of growth fills a store and opens it, and returns a number for every figure', async () => {
  const recorded = await recordedJobs()
  expect(recorded.transactions.ended.length).toBeGreaterThan(3)
  const dataDirectory = scratchDirectory()
  const population = { jobs: 17, waiting: 2, flagged: 1 }
  const phase = { dataDirectory, population, recorded, idleMs: 10 } as const
  const filled = await run({ name: 'fill', ...phase })
  const opened = await run({ name: 'open', ...phase })
  expect(Object.entries({ ...filled, ...opened }).filter(([, value]) => !Number.isFinite(value))).toEqual([])
  expect(filled['disk']).toBeGreaterThan(20 * 1_000)
})

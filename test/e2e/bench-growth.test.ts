import { expect, it } from 'vitest'
import { run } from '../bench/growth/phases.js'
import { recordedJob } from '../bench/growth/recorded-job.js'
import { scratchDirectory } from '../support/scratch-directory.js'

it('the benchmark of growth fills a store and opens it, and returns a number for every figure', async () => {
  const recorded = await recordedJob()
  expect(recorded.transactions.length).toBeGreaterThan(3)
  const dataDirectory = scratchDirectory()
  const filled = await run({ name: 'fill', dataDirectory, jobs: 20, recorded })
  const opened = await run({ name: 'open', dataDirectory, jobs: 20, recorded })
  expect(Object.entries({ ...filled, ...opened }).filter(([, value]) => !Number.isFinite(value))).toEqual([])
  expect(filled['disk']).toBeGreaterThan(20 * 1_000)
})

import { expect, it } from 'vitest'
import { measuredProcessor } from '../bench/processor/measured.js'
import { cli } from './processes.js'

it('the benchmark of the processor runs and returns a number for every figure', async () => {
  const figures = await measuredProcessor({ documents: 1_000, rounds: 1, slowPages: 16, writes: 3 }, cli)
  // All documents are read within the first checkpoint interval, so only the release stores a checkpoint.
  for (const { name, value } of figures) expect(value, name).toBeGreaterThan(0)
  expect(figures.find(({ name }) => name === 'requests per checkpoint')?.value).toBe(1)
})

import { expect, it } from 'vitest'
import { measuredProcessor } from '../bench/processor/measured.js'

it('the benchmark of the processor runs, and every figure is one', async () => {
  const figures = await measuredProcessor({ documents: 1_000, rounds: 1, slowPages: 16, writes: 3 })
  // Read to the end within the first interval, there is nothing to store but with the release.
  for (const { name, value } of figures) expect(value, name).toBeGreaterThan(0)
  expect(figures.find(({ name }) => name === 'requests per checkpoint')?.value).toBe(1)
})

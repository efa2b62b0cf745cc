import { describe, expect, it } from 'vitest'
import { simulateProcessor } from './simulate.js'

const seeds = Array.from({ length: 5 }, (_, index) => index + 1)

describe('the processor under every fault at once', () => {
  it.each(seeds)(
    'keeps I8, I10, I11 and I12, the same way twice: npm run simulate -- --seed %i',
    async (seed) => {
      const report = await simulateProcessor(seed)
      expect(report.problems).toEqual([])
      expect((await simulateProcessor(seed)).hash).toBe(report.hash)
    },
  )
})

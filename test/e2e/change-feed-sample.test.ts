import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { run } from './processes.js'

const sample = fileURLToPath(new URL('../../dist/samples/change-feed-only/run.js', import.meta.url))

it('the sample keeps a view with two instances that share the work, and ends by itself (R14)', async () => {
  const { code, stdout, stderr } = await run(sample, [])
  expect([code, stderr]).toEqual([0, ''])
  const said = JSON.parse(stdout) as { customers: number; revenue: number; delivered: Record<string, number> }
  expect(said.customers).toBe(50)
  expect(said.revenue, 'each of 0 to 399 once, however often it came').toBe((399 * 400) / 2)
  const { one = 0, two = 0 } = said.delivered
  expect(one, 'both have worked').toBeGreaterThan(0)
  expect(two, 'both have worked').toBeGreaterThan(0)
  expect(one + two).toBeGreaterThanOrEqual(400)
})

import { describe, expect, it } from 'vitest'
import { defineAgent, defineWorkflow } from '../../../src/sas/index.js'
import { jobCost } from '../../../src/sas/internal.js'
import { isStateWrite, pricedWorld } from '../../support/job-costs.js'

const shop = defineAgent('shop', { pass: (input: { readonly value: number }) => input })
const lineOf = (count: number) =>
  defineWorkflow<{ readonly value: number }>('line', (job) => {
    let value = job.input.value
    for (let at = 0; at < count; at += 1) {
      value = job.step(`step-${at}`, shop.pass, { value }, { undo: 'none' }).output.value
    }
  })

describe('the cost of the writes of a job', () => {
  it.each([3, 10, 20, 25, 30, 60])('is computed within 10 percent for %d steps in a row', async (steps) => {
    const world = await pricedWorld({ together: true })
    for (const number of [0, 1, 2]) {
      if (number === 1) world.bill.clear()
      await world.client.submit(lineOf(steps), { value: 1 }, { jobId: `job-${number}` })
      await world.clock.advance(60_000)
    }
    expect(await world.client.list({ state: 'Processed' })).toHaveLength(3)
    const measured = world.bill.charge(isStateWrite) / 2
    const computed = jobCost({
      steps,
      claimedSteps: 0,
      documentKilobytes: 1.1,
      indexing: 'lean',
      isTogether: true,
      partitions: 1,
      instances: 1,
      hasNotifier: false,
    }).writeCharge
    await world.stop()
    expect(Math.abs(computed / measured - 1), `computed ${computed}, measured ${measured}`).toBeLessThan(0.1)
  })
})

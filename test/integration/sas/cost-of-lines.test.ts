import { describe, expect, it } from 'vitest'
import { defineAgent, defineWorkflow } from '../../../src/sas/index.js'
import { jobCost, shapeOfWorkflow } from '../../../src/sas/internal.js'
import { deployed, isStateWrite, pricedWorld } from '../../support/job-costs.js'

const shop = defineAgent('shop', {
  pass: (input: { readonly value: number; readonly text?: string }) => ({ value: input.value }),
})
const lineOf = (count: number) =>
  defineWorkflow<{ readonly value: number }>('line', (job) => {
    let value = job.input.value
    for (let at = 0; at < count; at += 1) {
      value = job.step(`step-${at}`, shop.pass, { value }, { undo: 'none' }).output.value
    }
  })

/** A step, an event, and another step, with an input of this length. */
const waiting = (length: number) =>
  defineWorkflow<{ readonly value: number }>('waiting', (job) => {
    const first = job.step(
      'first',
      shop.pass,
      { value: job.input.value, text: 'x'.repeat(length) },
      { undo: 'none' },
    )
    const wait = job.waitFor('word', { after: [first], completeWithin: '1d' })
    const second = job.step(
      'second',
      shop.pass,
      { value: 1, text: 'x'.repeat(length) },
      { after: [wait], undo: 'none' },
    )
    job.step('third', shop.pass, { value: second.output.value }, { undo: 'none' })
  })

const shapeOf = (length: number) => {
  const { plan, submission } = waiting(length)
  return shapeOfWorkflow({ plan, submission } as never)
}

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
    const computed = jobCost({ ...deployed, steps, claimedSteps: 0 }).writeCharge
    await world.stop()
    expect(Math.abs(computed / measured - 1), `computed ${computed}, measured ${measured}`).toBeLessThan(0.1)
  })

  it('counts the steps that have documents before they begin', () => {
    expect(shapeOf(0)).toMatchObject({ steps: 4, storedSteps: 1 })
    expect(shapeOf(5_000)).toMatchObject({ steps: 4, storedSteps: 4 })
    const [small, large] = [shapeOf(0), shapeOf(5_000)].map((shape) => jobCost({ ...deployed, ...shape }))
    // Three steps begin in the job, two of them after the submission, and stay there.
    const replace = 11 * 1.15 * (1 + 0.1 * 0.0909)
    const plans = (9 * 0.3 + 5 * 0.2 + 2 * 6 * 0.6) * 0.0909 * 5.5 * 1.15
    const creates = (3 * replace) / 2
    expect((large?.writeCharge ?? 0) - (small?.writeCharge ?? 0)).toBeCloseTo(5 * replace + creates - plans)
  })
})

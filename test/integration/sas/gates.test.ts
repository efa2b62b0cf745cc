import { beforeEach, describe, expect, it } from 'vitest'
import { gateAddress, readGate } from '../../../src/sas/gates/stored-gate.js'
import type { GateDocument } from '../../../src/sas/model/gate-documents.js'
import { shop } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'
import { submit } from '../../../src/sas/submission/submit.js'
import { aSubmission } from '../../support/a-job.js'
import { defineWorkflow, type Limit, type Reference } from '../../../src/sas/index.js'

interface Order {
  readonly tenant: string
}

/** A job with one step that has these limits. */
const limited = (limits: (input: Reference<Order>) => readonly Limit[]) =>
  defineWorkflow<Order>('shopping', (job) => {
    const options = { limits: limits(job.input), completeWithin: '1m', undo: 'none' } as const
    job.step('pay', shop.sell, { item: 'pay' }, options)
  })

let world: StateWorld

beforeEach(() => {
  world = new StateWorld()
})

async function submitted(workflow: ReturnType<typeof limited>, jobId: string, tenant = 'acme'): Promise<void> {
  const { plan } = workflow
  const now = world.clock.now()
  const request = aSubmission(plan, { jobId, partition: jobId, orderId: jobId, input: { tenant }, now })
  await world.put(jobId, submit(request))
}

async function gate(key = 'bank'): Promise<GateDocument> {
  const found = await readGate(world.truth, gateAddress(key))
  if (found === null) throw new Error(`there is no gate ${key}`)
  return found
}

describe('a step with a limit', () => {
  it('waits while the limit is reached, and begins when a step is done', async () => {
    const workflow = limited(() => [{ key: 'bank', atOnce: 2 }])
    for (const id of ['a', 'b', 'c']) await submitted(workflow, id)
    const scheduler = world.scheduler()
    await scheduler.onChanges(await world.changes())
    const states = async () =>
      Promise.all(['a', 'b', 'c'].map(async (id) => (await world.step('pay', id)).processState))
    expect(await states()).toEqual(['Processing', 'Processing', 'Pending'])
    console.log(JSON.stringify(await gate(), null, 1), JSON.stringify((await world.step('pay', 'c')).place))
    const agents = world.agents()
    const page = await world.changes()
    await agents.onChanges(page, { leaseToken: '0', signal: new AbortController().signal })
    await world.clock.advance(10)
    for (let i = 0; i < 5; i += 1) {
      const more = await world.changes()
      console.log(more.map(({ id, processState }) => `${id} ${processState}`))
      await scheduler.onChanges(more)
      await agents.onChanges(more, { leaseToken: '0', signal: new AbortController().signal })
      await world.clock.advance(10)
    }
    expect(await states()).toEqual(['Processed', 'Processed', 'Processed'])
    console.log(JSON.stringify(await gate(), null, 1))
  })
})

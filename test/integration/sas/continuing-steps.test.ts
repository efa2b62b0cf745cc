import { beforeEach, describe, expect, it } from 'vitest'
import { raiseEvent } from '../../../src/sas/decisions/operator/raise-event.js'
import { StoreUnavailable } from '../../../src/sas/model/errors.js'
import { condition } from '../../../src/sas/plan/condition.js'
import { submit } from '../../../src/sas/submission/submit.js'
import { defineWorkflow, type Workflow } from '../../../src/sas/workflow/workflow.js'
import { aSubmission, shop } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'

const item = { item: 'x' }
const going = { signal: new AbortController().signal, wasHeldAt: () => true }

const withFallback = defineWorkflow('fallback', (job) => {
  const pay = job.step('pay', shop.sell, item, { retry: { tries: 1 }, onExhausted: 'continue' })
  job.step('invoice', shop.sell, item, { when: condition.failed(pay) })
})
const withReminder = defineWorkflow('reminder', (job) => {
  const approve = job.waitFor('pay', { completeWithin: '3d', onExhausted: 'continue' })
  job.step('remind', shop.sell, item, { when: condition.timedOut(approve) })
  job.step('ship', shop.sell, item, { when: condition.done(approve) })
})

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

async function submitted(workflow: Workflow<unknown>): Promise<void> {
  await world.put('job-1', submit(aSubmission(workflow.plan)))
  await world.scheduler().onChanges(await world.changes())
}

describe('a step that is given up while its job goes on', () => {
  it('raises no alarm when the supervisor gives it up', async () => {
    await submitted(withFallback)
    await world.clock.advance(120_000)
    await world.supervisor().runOnce()
    expect(await world.step()).toMatchObject({ processState: 'Error', failureCount: 1 })
    expect(world.telemetry.of('attention.raised')).toEqual([])
    await world.scheduler('scheduler-2').onChanges(await world.changes())
    expect((await world.job()).steps).toMatchObject({
      pay: { state: 'TimedOut' },
      invoice: { state: 'Processing' },
    })
  })

  it('lets another scheduler begin the fallback when its own dies before that (F-D16)', async () => {
    await submitted(withFallback)
    await world.clock.advance(120_000)
    await world.supervisor().runOnce()
    // The page with the outcome was read, and its reader died before the write: the page comes again.
    const page = await world.changes()
    const gone = new StoreUnavailable('the process died', { cause: null })
    world.faults.failWrites({ kind: 'throws', error: gone })
    await expect(world.scheduler('dying').onChanges(page)).rejects.toBe(gone)
    const heir = world.scheduler('heir')
    await heir.onChanges(page)
    await heir.onChanges(page)
    expect((await world.job()).steps).toEqual({
      pay: { state: 'TimedOut', dispatch: 1 },
      invoice: { state: 'Processing', dispatch: 1 },
    })
  })
})

describe('an event that is raised when its time is over (F-D17)', () => {
  const raised = async () => raiseEvent(await world.step(), { by: 'ann' }, world.clock.now())

  it('is refused if the supervisor was first', async () => {
    await submitted(withReminder)
    await world.clock.advance(3 * 86_400_000 + 5_000)
    await world.supervisor().runOnce()
    expect((await raised()).kind).toBe('refused')
  })

  it('counts if it was first, and no reminder is sent', async () => {
    await submitted(withReminder)
    await world.clock.advance(3 * 86_400_000 + 1_000)
    const first = await raised()
    if (first.kind !== 'write') throw new Error(first.kind)
    const { _etag } = await world.step()
    await world.put('job-1', [{ kind: 'replace', document: first.step, ifMatch: _etag }])
    await world.clock.advance(5_000)
    await world.supervisor().runOnce()
    const scheduler = world.scheduler()
    await scheduler.onChanges(await world.changes())
    await scheduler.onChanges(await world.changes())
    expect((await world.job()).steps).toMatchObject({
      pay: { state: 'Processed' },
      remind: { state: 'Skipped' },
      ship: { state: 'Processing' },
    })
    await world.agents().onChanges(await world.changes(), going)
    await world.telemetry.waitFor('step.settled')
  })
})

import { expect, it } from 'vitest'
import { gateAddress, keyInPartition } from '../../../src/sas/gates/home.js'
import { readGate } from '../../../src/sas/gates/stored-gate.js'
import { defineWorkflow } from '../../../src/sas/index.js'
import { jobDocumentId, stepDocumentId } from '../../../src/sas/model/document-ids.js'
import { withoutStoreFields } from '../../../src/sas/store/state-store.js'
import { ensureSubmitted } from '../../../src/sas/submission/write-submission.js'
import { aSubmission, shop } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'

it.each([true, false])(
  'a job that is set aside leaves its place at a limit at once (of its partition: %s, I40, F-V24)',
  async (perPartition) => {
    const partition = 'tenant'
    const workflow = defineWorkflow<Record<string, never>>('limited', (job) => {
      job.limits([{ key: 'tenant', atOnce: 1, ...(perPartition && { perPartition: true as const }) }])
      const a = job.step('a', shop.sell, { item: 'a' }, { undo: 'none' })
      job.step('b', shop.sell, { item: 'b' }, { undo: 'none', after: [a] })
    })
    const key = `jobs:${perPartition ? keyInPartition('tenant', partition) : 'tenant'}`
    const world = new StateWorld()
    const scheduler = world.scheduler()
    const submit = (jobId: string) =>
      ensureSubmitted(
        world.store,
        aSubmission(workflow.plan, { jobId, partition, input: {}, now: world.clock.now() }),
      )
    const inside = async () =>
      ((await readGate(world.truth, gateAddress(key)))?.holders ?? []).map(({ jobId }) => jobId)
    const schedule = async (by = scheduler) => {
      for (let page = await world.changes(); page.length > 0; page = await world.changes())
        await by.onChanges(page)
    }
    await submit('one')
    await schedule()
    expect(await inside()).toEqual(['one'])
    const address = { pk: partition, id: stepDocumentId('one', 'a') }
    const step = await world.truth.read(address)
    if (step === null) throw new Error('no step')
    await world.put(partition, [
      {
        kind: 'replace',
        document: { ...withoutStoreFields(step), dispatch: 'x' },
        ifMatch: step._etag,
      },
    ])
    await schedule(world.scheduler())
    expect(await world.truth.read({ pk: partition, id: jobDocumentId('one') })).toMatchObject({
      processState: 'Error',
    })
    await world.clock.advance(2_000)
    expect(await inside()).toEqual([])
    await submit('two')
    await schedule()
    expect(await inside()).toEqual(['two'])
  },
)

import { beforeEach, describe, expect, it } from 'vitest'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { gateAddress } from '../../../src/sas/gates/home.js'
import { find, offer } from '../../../src/sas/gates/visitors.js'
import { stepDocumentId } from '../../../src/sas/model/document-ids.js'
import { plannedSchema } from '../../../src/sas/model/documents.js'
import { CommandRefused } from '../../../src/sas/model/errors.js'
import { condition, defineWorkflow } from '../../../src/sas/index.js'
import { replacing } from '../../../src/sas/store/state-store.js'
import { aWorkflow, shop } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'

/** The second step runs only if the first one fails. */
const choosing = defineWorkflow('choosing', (job) => {
  const a = job.step('a', shop.sell, { item: 'x' }, { undo: 'none', onExhausted: 'continue' })
  job.step('b', shop.sell, { item: 'x' }, { when: condition.failed(a), undo: 'none' })
})

const line = aWorkflow({ a: [], b: ['a'], c: ['b'] })

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

async function stored(): Promise<string[]> {
  return (await world.truth.listSteps('job-1', 'job-1')).map(({ stepId }) => stepId).sort()
}

async function planned(): Promise<string[] | undefined> {
  return (await world.job()).planned?.map(({ id }) => id)
}

async function states(): Promise<string[] | undefined> {
  return (await (await client.get('job-1'))?.view())?.steps.map(({ stepId, state }) => `${stepId} ${state}`)
}

describe('a step that has not begun', () => {
  it('is in its job, and gets its document when it begins (I45)', async () => {
    await client.submit(line, {}, { jobId: 'job-1' })
    expect([await stored(), await planned()]).toEqual([[], ['a', 'b', 'c']])
    expect((await world.job()).schema).toBe(plannedSchema)
    expect(await states()).toEqual(['a Pending', 'b Pending', 'c Pending'])
    await world.scheduler().onChanges(await world.changes())
    expect([await stored(), await planned()]).toEqual([['a'], ['b', 'c']])
    expect(await states()).toEqual(['a Processing', 'b Pending', 'c Pending'])
    await world.run()
    expect([await stored(), await planned()]).toEqual([['a', 'b', 'c'], undefined])
    expect(await states()).toEqual(['a Processed', 'b Processed', 'c Processed'])
  })

  it('has the same fields as a step with a document from the beginning', async () => {
    const all = {
      completeWithin: '3s',
      retry: { tries: 5, backoff: { min: '7s', max: '9s' } },
      onExhausted: 'continue',
      claim: true,
      limits: [{ key: 'bank', atOnce: 3 }],
    } as const
    const full = defineWorkflow<{ readonly card: string }>(
      'full',
      (job) => {
        const pay = job.step('pay', shop.sell, { item: job.input.card }, all)
        job.sleep('nap', '1m', { after: [pay] })
        job.step('ship', shop.sell, { item: 'x' }, { when: condition.failed(pay), undo: 'none' })
      },
      { secrets: ['input.card', 'steps.pay.output.item'] },
    )
    await client.submit(full, { card: '4711' }, { jobId: 'job-1' })
    const lean = await Promise.all(['pay', 'nap', 'ship'].map((id) => world.step(id)))
    // The plan of this step is too large for the job.
    const large = defineWorkflow<{ readonly card: string }>(
      'full',
      (job) => {
        const pay = job.step('pay', shop.sell, { item: job.input.card }, all)
        job.sleep('nap', '1m', { after: [pay] })
        job.step('ship', shop.sell, { item: 'x' }, { when: condition.failed(pay), undo: 'none' })
        job.step('pack', shop.sell, { item: 'x'.repeat(9_000) }, { undo: 'none' })
      },
      { secrets: ['input.card', 'steps.pay.output.item'] },
    )
    world = new StateWorld()
    client = new JobClient(world)
    await client.submit(large, { card: '4711' }, { jobId: 'job-1' })
    expect(await stored()).toEqual(['nap', 'pack', 'pay', 'ship'])
    expect(await planned()).toBeUndefined()
    const whole = await Promise.all(['pay', 'nap', 'ship'].map((id) => world.step(id)))
    const own = (step: object) =>
      Object.fromEntries(Object.entries(step).filter(([name]) => !name.startsWith('_')))
    expect(lean.map(own)).toEqual(whole.map(own))
  })

  it('has a document from the beginning if it waits for an event', async () => {
    const asking = defineWorkflow('asking', (job) => {
      const wait = job.waitFor('word', { completeWithin: '1d' })
      job.step('pay', shop.sell, { item: 'x' }, { after: [wait], undo: 'none' })
    })
    await client.submit(asking, null, { jobId: 'job-1' })
    expect([await stored(), await planned()]).toEqual([['word'], ['pay']])
    await client.raiseEvent('job-1', 'word', 1)
    await world.run()
    expect((await world.job()).processState).toBe('Processed')
  })

  it('takes no event and no answer', async () => {
    await client.submit(line, {}, { jobId: 'job-1' })
    await expect(client.raiseEvent('job-1', 'c', 1)).rejects.toThrow(CommandRefused)
    const none = 'step c does not wait for an event; none of its steps waits for an event'
    await expect(client.raiseEvent('job-1', 'c', 1)).rejects.toThrow(none)
    await expect(client.answer('job-1', 'c', 1, { by: 'ann' })).rejects.toThrow(CommandRefused)
    expect(await stored()).toEqual([])
  })

  it('never gets a document if its job skips it, is undone, or expires', async () => {
    await client.submit(choosing, null, { jobId: 'job-1', retainFor: '1h' })
    await world.run()
    expect([await stored(), await planned()]).toEqual([['a'], ['b']])
    const { ttl, processState } = await world.job()
    expect([ttl, processState, (await world.step('a')).ttl]).toEqual([3_600, 'Processed', 3_600])
    expect(await states()).toEqual(['a Processed', 'b Skipped'])
    await client.submit(line, {}, { jobId: 'undone' })
    await client.cancel('undone', 'not wanted')
    await world.run()
    expect((await world.job('undone')).processState).toBe('Compensated')
    expect(await world.truth.listSteps('undone', 'undone')).toEqual([])
  })

  it('never gets a document if the expiry of its job is written later', async () => {
    await client.submit(choosing, null, { jobId: 'job-1', retainFor: '1h' })
    await world.run()
    const [job, a] = [await world.job(), await world.step('a')]
    await world.put('job-1', [replacing(job, { ...job, ttl: -1 }), replacing(a, { ...a, ttl: -1 })])
    await world.run()
    expect([await stored(), await planned()]).toEqual([['a'], ['b']])
    expect([(await world.job()).ttl, (await world.step('a')).ttl]).toEqual([3_600, 7_200])
  })

  it('gets its document with the input that an operator gives it, and leaves the plan of its job', async () => {
    await client.submit(line, {}, { jobId: 'job-1', completeWithin: '10s' })
    await world.scheduler().onChanges(await world.changes())
    await world.clock.advance(20_000)
    await world.supervisor().runOnce()
    await world.scheduler().onChanges(await world.changes())
    expect((await world.job()).processState).toBe('Error')
    await client.resubmit('job-1', { by: 'ann', why: 'late', step: 'c', input: { item: 'y' } })
    expect([await stored(), await planned()]).toEqual([['a', 'c'], ['b']])
    expect((await world.step('c')).inputTemplate).toEqual({ item: 'y' })
  })

  it('has a document in the restart of its job, and no plan beside it', async () => {
    await client.submit(line, {}, { jobId: 'job-1' })
    await client.cancel('job-1', 'wrong')
    await world.run()
    expect(await planned()).toEqual(['a', 'b', 'c'])
    await client.restart('job-1', { as: 'job-2', from: 'a', by: 'ann', why: 'again' })
    const [job, documents] = [
      await world.job('job-2', 'job-1'),
      await world.truth.listSteps('job-1', 'job-2'),
    ]
    expect(job.planned).toBeUndefined()
    expect(documents.map(({ stepId }) => stepId).sort()).toEqual(['a', 'b', 'c'])
    await world.run()
    expect((await world.job('job-2', 'job-1')).processState).toBe('Processed')
  })

  it.each([false, true])(
    'keeps its place at a limit that names it (I25), with an old document: %j',
    async (isLeft) => {
      if (isLeft) {
        await client.submit(line, 'old', { jobId: 'job-1' })
        await world.run()
        await world.leaveSteps(3_600)
      }
      await client.submit(line, 'new', { jobId: 'job-1' })
      expect(await stored()).toEqual(isLeft ? ['a', 'b', 'c'] : [])
      const visitor = { pk: 'job-1', jobId: 'job-1', stepId: 'b', entry: 0 }
      const { key } = { key: 'bank', ...gateAddress('bank') }
      const holder = { ...visitor, untilMs: 0 }
      expect((await find(world.truth, holder, { key }, 0)).standing).toBe('coming')
      expect(await offer(world.truth, visitor, key, () => 0)).toBe('coming')
      expect((await find(world.truth, { ...holder, stepId: 'x' }, { key }, 0)).standing).toBe('gone')
    },
  )

  it('begins once, although two schedulers begin it', async () => {
    await client.submit(line, {}, { jobId: 'job-1' })
    const page = await world.changes()
    const other = world.scheduler('scheduler-2')
    world.faults.failWrites({ kind: 'rival', write: () => other.onChanges(page) })
    await world.scheduler('scheduler-1').onChanges(page)
    expect(await world.step('a')).toMatchObject({ dispatch: 1, lockedBy: 'scheduler-2' })
    expect([await stored(), await planned()]).toEqual([['a'], ['b', 'c']])
  })

  it('begins once, although the outcomes of its first writes are unknown', async () => {
    await client.submit(line, {}, { jobId: 'job-1' })
    world.faults.failWrites(
      { kind: 'unknownOutcome', truth: 'lost' },
      { kind: 'unknownOutcome', truth: 'applied' },
    )
    await world.scheduler().onChanges(await world.changes())
    expect([await stored(), await planned()]).toEqual([['a'], ['b', 'c']])
    await world.run()
    expect((await world.job()).processState).toBe('Processed')
  })

  it('changes nothing if a scheduler with an older job gets its document', async () => {
    await client.submit(line, {}, { jobId: 'job-1' })
    const slow = world.scheduler('slow')
    await slow.onChanges(await world.changes())
    // Another scheduler takes the job, and begins the second step.
    const job = await world.job()
    await world.put('job-1', [
      replacing(job, { ...job, lockedBy: null, processState: 'Pending', fence: job.fence + 1 }),
    ])
    await world.run()
    const ended = await world.job()
    const step = await world.truth.read({ pk: 'job-1', id: stepDocumentId('job-1', 'b') })
    if (step === null) throw new Error('there is no document of step b')
    await slow.onChanges([step as never])
    expect(await world.job()).toEqual(ended)
  })
})

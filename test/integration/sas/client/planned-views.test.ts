import { beforeEach, describe, expect, it } from 'vitest'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { readJobDetail, readJobDocuments } from '../../../../src/sas/client/job-detail.js'
import { followJob } from '../../../../src/sas/client/job-updates.js'
import { viewOf } from '../../../../src/sas/client/job-view.js'
import { jobDocumentId } from '../../../../src/sas/model/document-ids.js'
import { defineWorkflow } from '../../../../src/sas/index.js'
import type { StateDocument } from '../../../../src/sas/store/state-store.js'
import { aWorkflow, shop } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

const line = aWorkflow({ a: [], b: ['a'], c: ['b'] })

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld({ retentionMinutes: 600 })
  client = new JobClient(world)
})

const selling = (version: number, item: string) =>
  defineWorkflow(
    'shopping',
    (job) => {
      const a = job.step('a', shop.sell, { item: 'a' }, { undo: 'none' })
      job.step('b', shop.sell, { item }, { undo: 'none', after: [a] })
    },
    { version },
  )

describe('a view of a job', () => {
  it('keeps all steps if a page of the feed ends within the transaction that begins one', async () => {
    await client.submit(line, {}, { jobId: 'job-1' })
    const first = await world.changes()
    await world.scheduler().onChanges(first)
    const second = await world.changes()
    const pages: (readonly StateDocument[])[] = [
      first,
      second.filter(({ id }) => id === jobDocumentId('job-1')),
      second.filter(({ id }) => id !== jobDocumentId('job-1')),
    ] as never
    const seen: string[][] = []
    const controller = new AbortController()
    const views = followJob({
      jobId: 'job-1',
      feed: { readNext: async () => pages.shift() ?? (controller.abort(), []) },
      readView: async () => null,
      viewOf: async (job, steps) => viewOf(job, steps, { now: world.clock.now(), atLimit: null }),
      rest: async () => undefined,
      signal: controller.signal,
    })
    try {
      for await (const view of views) seen.push(view.steps.map(({ stepId }) => stepId))
    } catch (error) {
      if (!controller.signal.aborted) throw error
    }
    expect(seen).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ])
  })

  it('has no time of change for a step that was never written', async () => {
    await client.submit(line, {}, { jobId: 'job-1' })
    const view = await (await client.get('job-1'))?.view()
    expect(view?.steps.map(({ changedAt }) => changedAt)).toEqual([null, null, null])
  })

  it('knows that a step that was never written has no attempts', async () => {
    const job = await client.submit(line, {}, { jobId: 'job-1' })
    expect(await job.attempts('c')).toEqual({ source: 'versions', note: null, attempts: [], charge: 0 })
    await expect(job.attempts('x')).rejects.toThrow('has no step "x"')
  })

  it('counts the writes of a step', async () => {
    await client.submit(line, {}, { jobId: 'job-1' })
    const address = { pk: 'job-1', id: jobDocumentId('job-1'), jobId: 'job-1' }
    const before = await readJobDetail(world, address)
    await world.run()
    const after = await readJobDetail(world, address)
    const versions = world.faults.writes.flat().filter(({ document }) => document['stepId'] === 'b').length
    expect([before, after].map(({ steps }) => steps[1]?.cost.writes)).toEqual([0, versions])
  })

  it('shows only documents that are stored', async () => {
    await client.submit(line, {}, { jobId: 'job-1' })
    const address = { pk: 'job-1', id: jobDocumentId('job-1'), jobId: 'job-1' }
    const shown = await readJobDocuments({ store: world.store, queries: null }, address)
    const stored = await world.truth.listSteps('job-1', 'job-1')
    expect(shown.steps.map((step) => (step as StateDocument).id)).toEqual(stored.map(({ id }) => id))
  })
})

describe('the history of a step that had not begun', () => {
  it('says that a migration replaced its plan', async () => {
    await client.submit(selling(1, 'old'), {}, { jobId: 'job-1' })
    await client.migrate('job-1', selling(2, 'new'), { by: 'ann', why: 'typo' })
    const history = await (await client.get('job-1'))?.history()
    const told = history?.moments.at(-1)?.changes.filter(({ stepId }) => stepId === 'b')
    expect(told?.flatMap(({ what }) => what)).toContain('its plan was replaced')
  })

  it('says that it was dispatched, also if an earlier job with this id left its document behind', async () => {
    await client.submit(line, 'old', { jobId: 'job-1' })
    await world.run()
    await world.leaveSteps(3_600)
    await world.clock.advance(200_000)
    await client.submit(line, {}, { jobId: 'job-1' })
    await world.run()
    const history = await (await client.get('job-1'))?.history({ limit: 500 })
    const begin = history?.moments.findLastIndex(({ changes }) =>
      changes.some(({ what }) => what.some((text) => text.startsWith('submitted'))),
    )
    const told = history?.moments.slice(begin).flatMap(({ changes }) => changes.flatMap(({ what }) => what))
    expect(told?.filter((text) => text.startsWith('attempt 1 dispatched'))).toHaveLength(3)
  })
})

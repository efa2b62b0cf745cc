import { beforeEach, expect, it } from 'vitest'
import { JobNotFound } from '../../../../src/sas/model/errors.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import type { JobView } from '../../../../src/sas/client/job-view.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { aWorkflow } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

const going = { signal: new AbortController().signal }

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

function states({ state, steps }: JobView): string {
  return [state, ...steps.map((step) => step.state)].join(' ')
}

it('`updates` yields a job at once, at every change seen, and at its end (R118, R47)', async () => {
  const job = await client.submit(aWorkflow({ a: [], b: ['a'] }), {}, { jobId: 'j', partitionKey: 'shop' })
  await client.submit(aWorkflow(), {}, { jobId: 'other', partitionKey: 'shop' })
  const seen: string[] = []
  const following = (async () => {
    for await (const view of job.updates()) seen.push(states(view))
  })()
  await world.clock.advance(1)
  expect(seen).toEqual(['Pending Pending Pending'])
  const [scheduler, agents] = [world.scheduler(), world.agents()]
  await scheduler.onChanges(await world.changes())
  await world.clock.advance(2_000)
  expect(seen.at(-1)).toBe('Processing Processing Pending')
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    await scheduler.onChanges(page)
    await agents.onChanges(page, going)
    await agents.stop(1_000)
  }
  await world.clock.advance(2_000)
  await following
  expect(seen.at(-1)).toBe('Processed Processed Processed')
  expect(world.clock.pendingTimers).toBe(0)
})

it('`updates` hides secrets in every view if it is asked to, and says when documents changed', async () => {
  const secret = defineWorkflow<{ readonly card: string }>(
    'secret',
    (job) => void job.waitFor('signal', { completeWithin: '1d' }),
    { secrets: ['input.card'] },
  )
  const job = await client.submit(secret, { card: '4711-0815' }, { jobId: 'j' })
  const seen: JobView[] = []
  for await (const view of job.updates({ hidesSecrets: true })) {
    seen.push(view)
    if (seen.length === 2) break
    await world.clock.advance(5_000)
    await client.cancel('j', 'card 4711-0815 is lost')
  }
  expect(JSON.stringify(seen)).not.toContain('4711')
  expect(seen.map(({ input }) => input)).toEqual([{ card: '•••• secret' }, { card: '•••• secret' }])
  const times = seen.map(({ changedAt, steps }) => [changedAt, steps[0]?.changedAt])
  expect(times).toEqual([
    ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:05.000Z', '2026-01-01T00:00:00.000Z'],
  ])
})

it('`updates` rejects when the store is not available', async () => {
  const job = await client.submit(aWorkflow(), {}, { jobId: 'j' })
  const updates = job.updates()
  expect((await updates.next()).done).toBe(false)
  world.faults.failReads({ kind: 'throws', error: new Error('away') })
  await expect(updates.next()).rejects.toThrow('away')
})

it('`updates` ends when its consumer leaves the loop, and rejects when its signal aborts', async () => {
  const job = await client.submit(aWorkflow(), {}, { jobId: 'j' })
  const stopping = new AbortController()
  const updates = job.updates({ signal: stopping.signal })
  await updates.next()
  const next = expect(updates.next()).rejects.toThrow('enough')
  await world.clock.advance(100)
  stopping.abort(new Error('enough'))
  await next
  expect(world.clock.pendingTimers).toBe(0)
  for await (const view of job.updates()) {
    expect(view.jobId).toBe('j')
    break
  }
  expect(world.clock.pendingTimers).toBe(0)
})

it('`updates` rejects for a job that is gone', async () => {
  const job = await client.submit(aWorkflow(), {}, { jobId: 'j' })
  const document = await world.job('j')
  const { _etag: ifMatch, ...rest } = document
  await world.put('j', [{ kind: 'replace', document: { ...rest, ttl: 1 }, ifMatch }])
  await world.clock.advance(5_000)
  await expect(job.updates().next()).rejects.toThrow(JobNotFound)
})

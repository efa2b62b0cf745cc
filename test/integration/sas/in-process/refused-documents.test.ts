import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { aWorkflow } from '../../../support/a-job.js'
import { twoProcesses } from '../../../support/processes-world.js'

const oneStep = aWorkflow({ a: [] }, { completeWithin: '10m' })

/** A host stops and gives its attempt time. The store refuses one write of its scheduler (429, 449, 410 or 503) meanwhile. */
async function moved(keepsDocuments: boolean, roles: readonly ('scheduler' | 'agents')[]) {
  const { w, calls, one, two } = await twoProcesses(30_000, keepsDocuments)
  await one.client.submit(oneStep, {}, { jobId: 'job-1' })
  await w.clock.advance(2_000)
  const apply = w.store.apply.bind(w.store)
  let refusals = 0
  Object.assign(w.store, {
    apply: (...args: Parameters<typeof apply>) => {
      const isOfJob = args[1].some(({ document }) => document.id === 'sas.job:job-1')
      if (!isOfJob || refusals > 0) return apply(...args)
      refusals += 1
      return Promise.reject(new StoreUnavailable('449', { cause: null }))
    },
  })
  const stopped = Promise.all(roles.map((role) => one[role].stop()))
  await w.clock.advance(100)
  const startedTwo = Promise.all(roles.map((role) => two[role].start()))
  await w.clock.advance(120_000)
  await Promise.all([stopped, startedTwo])
  return { calls, refusals }
}

describe('the release of leases, if the store refuses one write', () => {
  it.each([{ roles: ['scheduler', 'agents'] }, { roles: ['agents'] }, { roles: ['scheduler'] }] as const)(
    'lets no step be called twice: %j',
    async ({ roles }) => {
      const d = await moved(true, roles)
      const b = await moved(false, roles)
      expect(d.calls).toHaveLength(1)
      expect(b.calls).toHaveLength(1)
    },
  )
})

/** The same, but a write of ANOTHER job of the same partition was refused shortly before: its work is postponed. */
async function postponed(keepsDocuments: boolean) {
  const { w, calls, one, two } = await twoProcesses(30_000, keepsDocuments)
  await one.client.submit(oneStep, {}, { jobId: 'job-1', partitionKey: 'p' })
  await w.clock.advance(500)
  const apply = w.store.apply.bind(w.store)
  const other = 'sas.job:other'
  let refusals = 0
  let isWritten = false
  Object.assign(w.store, {
    apply: (...args: Parameters<typeof apply>) => {
      const job = args[1].find(({ document }) => document.id === other)
      if (job?.kind !== 'replace' || isWritten) return apply(...args)
      refusals += 1
      return Promise.reject(new StoreUnavailable('429', { cause: null }))
    },
  })
  // A client elsewhere submits it, so that the scheduler dispatches it.
  const { JobClient } = await import('../../../../src/sas/client/job-client.js')
  await new JobClient({
    store: w.store,
    queries: null as never,
    clock: w.clock,
    telemetry: w.telemetry,
  }).submit(oneStep, {}, { jobId: 'other', partitionKey: 'p' })
  await w.clock.advance(2_000)
  const at = refusals
  const stopped = Promise.all([one.scheduler.stop(), one.agents.stop()])
  await w.clock.advance(100)
  isWritten = true
  const startedTwo = Promise.all([two.scheduler.start(), two.agents.start()])
  await w.clock.advance(120_000)
  await Promise.all([stopped, startedTwo])
  return { calls, at }
}
describe('the release of leases, if work of the partition is postponed', () => {
  it('lets no step be called twice', async () => {
    const d = await postponed(true)
    const b = await postponed(false)
    expect(b.calls.length).toBe(d.calls.length)
  })
})

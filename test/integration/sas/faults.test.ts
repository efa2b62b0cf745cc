import type { Container, CosmosClient } from '@azure/cosmos'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createInProcessCosmos,
  type FaultOptions,
  type InProcessCosmos,
} from '../../../src/emulator/index.js'
import { startHost } from '../../../src/host/index.js'
import { defineAgent, defineWorkflow, StoreUnavailable } from '../../../src/sas/index.js'
import { CosmosStateStore } from '../../../src/sas/internal.js'
import type { StateWrite } from '../../../src/sas/store/state-store.js'
import { submit } from '../../../src/sas/submission/submit.js'
import { aSubmission, aWorkflow } from '../../support/a-job.js'

let cosmos: InProcessCosmos
let client: CosmosClient

beforeEach(() => {
  cosmos = createInProcessCosmos({ partitionCount: 2 })
  client = cosmos.client()
})

afterEach(async () => {
  client.dispose()
  await cosmos.close()
})

describe('the state store when an answer is lost', () => {
  let container: Container
  let store: CosmosStateStore
  const job = submit(aSubmission(aWorkflow({ a: [], b: ['a'] }).plan))
  const partition = 'job-1'
  const oneOf = (writes: readonly StateWrite[]): readonly StateWrite[] => writes.slice(0, 1)

  beforeEach(async () => {
    const { database } = await client.databases.create({ id: 'shop' })
    container = (await database.containers.create({ id: 'state', partitionKey: '/pk' })).container
    store = new CosmosStateStore({ container })
  })

  const losses: readonly FaultOptions[] = [{ status: 503 }, { status: 408 }, { reset: true }]
  const groups = [
    ['a transaction', job],
    ['a single write', oneOf(job)],
  ] as const

  it.each(losses.flatMap((loss) => groups.map(([name, writes]) => [name, loss, writes] as const)))(
    'reports an unknown outcome for %s whose answer is lost to %o, and then finds it written',
    async (_name, loss, writes) => {
      cosmos.faults.add({ ...loss, afterApply: true, times: 1 })
      expect(await store.apply(partition, writes)).toMatchObject({ kind: 'unknownOutcome' })
      expect(await store.apply(partition, writes)).toMatchObject({ kind: 'conflict', reason: 'exists' })
      expect(cosmos.stats().documents).toBe(writes.length)
    },
  )

  it.each<FaultOptions>([{ status: 429, retryAfter: 3 }, { status: 449 }, { status: 410 }])(
    'reports that nothing is written when the service refuses a transaction with %o (F-X3)',
    async (refusal) => {
      const impatient = {
        maxRetryAttemptCount: 0,
        fixedRetryIntervalInMilliseconds: 1,
        maxWaitTimeInSeconds: 1,
      }
      const client = cosmos.client({ connectionPolicy: { retryOptions: impatient } })
      const own = new CosmosStateStore({ container: client.database('shop').container('state') })
      cosmos.faults.add({ ...refusal, match: { operation: 'batch' } })
      await expect(own.apply(partition, job)).rejects.toMatchObject({
        name: 'StoreUnavailable',
        retryAfterMs: refusal.retryAfter ?? null,
      })
      expect(cosmos.stats().documents).toBe(0)
    },
  )

  it('tries a request again that the store answers with status 449, after a short pause (F-X3)', async () => {
    const pauses: number[] = []
    const retryPause = (tries: number): Promise<void> => Promise.resolve(void pauses.push(tries))
    const own = new CosmosStateStore({ container, retryPause })
    cosmos.faults.add({ status: 449, times: 3 })
    expect(await own.apply(partition, job)).toMatchObject({ kind: 'applied' })
    expect(pauses).toEqual([1, 2, 3])
    cosmos.faults.add({ status: 449, times: 1, match: { operation: 'query' } })
    expect(await own.listSteps(partition, 'job-1')).toHaveLength(2)
    cosmos.faults.add({ status: 449 })
    await expect(own.apply(partition, job)).rejects.toMatchObject({ name: 'StoreUnavailable' })
    expect(pauses).toEqual([1, 2, 3, 1, 1, 2, 3])
  })

  it('reports an unknown outcome when an earlier try of the SDK may have written (F-X4)', async () => {
    cosmos.faults.add({ status: 503, afterApply: true, times: 1 })
    cosmos.faults.add({ status: 429, retryAfter: 1, match: { operation: 'batch' } })
    expect(await store.apply(partition, job)).toMatchObject({ kind: 'unknownOutcome' })
  })

  it.each(losses)('reports an unknown outcome for a write that %o keeps from the store', async (loss) => {
    cosmos.faults.add({ ...loss, times: 1 })
    expect(await store.apply(partition, job)).toMatchObject({ kind: 'unknownOutcome' })
    expect(cosmos.stats().documents).toBe(0)
    expect(await store.apply(partition, job)).toMatchObject({ kind: 'applied' })
  })
})

/** The failures of a store in trouble, rare enough for a job to end within its tries. */
function storm(seed: number): readonly FaultOptions[] {
  const writes = { operation: ['create', 'upsert', 'replace', 'patch', 'batch', 'delete'] } as const
  const faults: readonly FaultOptions[] = [
    { match: writes, status: 503, afterApply: true, probability: 0.06 },
    { match: writes, reset: true, afterApply: true, probability: 0.06 },
    { match: writes, status: 408, probability: 0.04 },
    { match: writes, status: 449, probability: 0.04 },
    { match: writes, reset: true, probability: 0.04 },
    { status: 429, retryAfter: 1, probability: 0.08 },
    { match: { operation: ['read', 'query', 'changeFeed'] }, status: 503, probability: 0.05 },
    {
      match: { operation: ['read', 'query', 'changeFeed'] },
      status: 404,
      substatus: 1002,
      probability: 0.03,
    },
    { delay: 5, probability: 0.1 },
  ]
  return faults.map((fault, index) => ({ ...fault, seed: seed * 100 + index }))
}

describe('a host under a storm of faults', () => {
  const patience = {
    completeWithin: '1s',
    retry: { tries: 30, backoff: { min: '10ms', max: '50ms' } },
  } as const

  /** Effects on the service by key, by which a service recognises a repetition. */
  const effects = new Map<string, number>()
  const effect = (name: string, key: string): { name: string } => {
    effects.set(key, (effects.get(key) ?? 0) + 1)
    return { name }
  }
  const shop = defineAgent('shop', {
    reserve: ({ item }: { item: string }, { idempotencyKey }) => effect(item, idempotencyKey),
    charge: ({ name }: { name: string }, { idempotencyKey }) => effect(name, idempotencyKey),
    ship: ({ name }: { name: string }, { idempotencyKey }) => effect(name, idempotencyKey),
  })
  const selling = defineWorkflow<{ item: string }>('selling', (job) => {
    const reserved = job.step('reserve', shop.reserve, { item: job.input.item }, patience)
    const charged = job.step('charge', shop.charge, { name: reserved.output.name }, patience)
    job.step('ship', shop.ship, { name: charged.output.name }, patience)
  })

  /** Repeats the call while the store is unavailable. */
  async function persistently<T>(ask: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await ask()
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || tries === 50) throw error
      }
    }
  }

  it.each([1, 2])('loses no job and has no effect twice, seed %i', async (seed) => {
    effects.clear()
    const host = await startHost({
      client,
      agents: [shop],
      sweepInterval: 500,
      deadlineGrace: 20,
      timing: { pollInterval: { min: 5, max: 50 }, checkpointInterval: 50 },
    })
    for (const fault of storm(seed)) cosmos.faults.add(fault)
    const jobIds = Array.from({ length: 12 }, (_, index) => `job-${index}`)
    const results = await Promise.all(
      jobIds.map(async (jobId) => {
        const job = await persistently(() => host.client.submit(selling, { item: jobId }, { jobId }))
        return persistently(() => job.result())
      }),
    )
    expect(cosmos.stats().faults).toBeGreaterThan(20)
    cosmos.faults.clear()
    expect(results.map((result) => result['ship'])).toEqual(jobIds.map((name) => ({ name })))
    const views = await Promise.all(jobIds.map(async (jobId) => (await host.client.get(jobId))?.view()))
    await host.stop()
    expect(views.map((view) => view?.state)).toEqual(jobIds.map(() => 'Processed'))
    // A step keeps one key through all its attempts, so more keys than steps would be doubled effects.
    expect(effects.size).toBe(jobIds.length * 3)
  })
})

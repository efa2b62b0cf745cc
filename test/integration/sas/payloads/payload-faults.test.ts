import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { continuingSchema, schemaVersion } from '../../../../src/sas/model/documents.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { noPayloads, Payloads } from '../../../../src/sas/payloads/payloads.js'
import { sweepPayloads } from '../../../../src/sas/payloads/payload-sweep.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { MemoryPayloads } from '../../../support/memory-payloads.js'
import { StateWorld } from '../../../support/state-world.js'

const large = 'x'.repeat(10_000)
const unavailable = new StoreUnavailable('away', { cause: null })
const dayMs = 24 * 3_600_000
const keys: string[] = []
const clerk = defineAgent('clerk', {
  write: (_input: unknown, { idempotencyKey }) => {
    keys.push(idempotencyKey)
    return large
  },
  read: ({ of }: { readonly of: string }) => of.length,
})
const writing = defineWorkflow('writing', (job) => {
  const written = job.step('write', clerk.write, {}, { undo: 'none' })
  job.step('read', clerk.read, { of: written.output }, { undo: 'none' })
})
const reading = defineWorkflow<{ readonly of: string }>('reading', (job) => {
  job.step('read', clerk.read, { of: job.input.of }, { undo: 'none' })
})

let world: StateWorld
let store: MemoryPayloads
let client: JobClient
let payloads: Payloads
beforeEach(() => {
  keys.length = 0
  world = new StateWorld()
  store = new MemoryPayloads(() => world.clock.now())
  payloads = new Payloads(store, world.random)
  client = clientWith(payloads)
})

function clientWith(own: Payloads): JobClient {
  const { store: documents, queries, clock, telemetry } = world
  return new JobClient({ store: documents, queries, clock, telemetry, payloads: own })
}

const { signal } = new AbortController()

/** Lets the scheduler and the agents react until nothing changes, and lets the time of pauses pass. */
async function settleDown(own: Payloads = payloads): Promise<void> {
  const scheduler = world.scheduler('scheduler-1')
  const agents = world.agents({ agents: [clerk], payloads: own })
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    await scheduler.onChanges(page)
    await agents.onChanges(page, { signal, wasHeldAt: () => true })
    const settled = agents.stop(90_000)
    const over = settled.then(() => true)
    const second = () => world.clock.advance(1_000).then(() => false)
    for (let seconds = 0; seconds < 90; seconds += 1) if (await Promise.race([over, second()])) break
    await settled
  }
}

/** Recovers what is overdue, and lets the roles go on. */
async function recovered(own: Payloads = payloads): Promise<void> {
  await world.clock.advance(120_000)
  await world.supervisor().runOnce()
  await settleDown(own)
}

describe('a payload store that fails', () => {
  it('refuses a submission for now, and nothing is written (F-Y1)', async () => {
    store.faults.push('refused')
    await expect(client.submit(reading, { of: large }, { jobId: 'job-1' })).rejects.toThrow(
      /^payload \S+ of job "job-1": the payload store: 503 server busy$/u,
    )
    expect(world.faults.writes).toEqual([])
  })

  it('is tried again within the attempt, so that the handler is called only once (F-Y3)', async () => {
    store.faults.push('refused', 'refused')
    await client.submit(writing, {}, { jobId: 'job-1' })
    await settleDown()
    expect(store.calls).toEqual(['put', 'put', 'put', 'get'])
    expect(await world.job()).toMatchObject({ processState: 'Processed' })
    expect(await world.step('write')).toMatchObject({ failureCount: 0 })
    expect(keys).toHaveLength(1)
  })

  it('fails the attempt when it is away for longer, and the next attempt has the same key (F-Y3)', async () => {
    store.faults.push(...Array.from({ length: 200 }, () => 'refused' as const))
    await client.submit(writing, {}, { jobId: 'job-1' })
    await settleDown()
    const failed = await world.step('write')
    expect(failed.diagnostics).toMatchObject([
      { message: expect.stringContaining('the payload store: 503') as string },
    ])
    store.faults.length = 0
    await recovered()
    expect(await world.job()).toMatchObject({ processState: 'Processed' })
    expect(keys).toEqual(['job-1/write/g1/do', 'job-1/write/g1/do'])
  })

  it('lets an attempt without an answer pass its deadline, like any slow call (F-Y4)', async () => {
    await client.submit(reading, { of: large }, { jobId: 'job-1' })
    store.faults.push('unanswered')
    await settleDown()
    expect(await world.step('read')).toMatchObject({ outcome: null, processState: 'Processing' })
    await recovered()
    expect(await world.job()).toMatchObject({ processState: 'Processed' })
    expect(await world.step('read')).toMatchObject({ output: large.length })
  })
})

describe('a payload that cannot be used (F-Y5)', () => {
  const flagOf = async (): Promise<string | undefined> => (await world.step('read')).attention?.message

  it('flags the step if it is missing, and a resubmitted job goes on after it was restored', async () => {
    await client.submit(reading, { of: large }, { jobId: 'job-1' })
    const stored = [...store.stored]
    store.stored.clear()
    await settleDown()
    expect(await flagOf()).toMatch(
      /^payload \S+ of job "job-1" cannot be used: it is missing; check that all/u,
    )
    expect(await world.step('read')).toMatchObject({ mayHaveActed: false, processState: 'Error' })
    for (const [key, payload] of stored) store.stored.set(key, payload)
    await client.resubmit('job-1', { by: 'ann', why: 'restored' })
    await settleDown()
    expect(await world.job()).toMatchObject({ processState: 'Processed' })
  })

  it('flags the step if its content is another, and passes it to no handler', async () => {
    await client.submit(reading, { of: large }, { jobId: 'job-1' })
    await client.submit(reading, { of: 'y'.repeat(10_000) }, { jobId: 'job-2' })
    const [one, other] = [...store.stored.values()]
    if (one !== undefined && other !== undefined) one.content = other.content
    await settleDown()
    expect(await flagOf()).toContain('its content is not the one that was written (wrong hash)')
  })

  it('flags the step if its content is no packed text, or is longer than the ticket says', async () => {
    await client.submit(reading, { of: large }, { jobId: 'job-1' })
    for (const payload of store.stored.values()) payload.content = Buffer.from('no')
    await settleDown()
    expect(await flagOf()).toContain('it cannot be unpacked (incorrect header check)')
  })
})

describe('a process without the payload store (F-Y6)', () => {
  const advice =
    /values in a payload store, and this process has none: give this process the option payloads/u

  it('makes no attempt succeed with a ticket, and another process goes on', async () => {
    await client.submit(reading, { of: large }, { jobId: 'job-1' })
    await settleDown(noPayloads)
    const { diagnostics } = await world.step('read')
    expect(diagnostics).toMatchObject([{ message: expect.stringMatching(advice) as unknown }])
    await recovered()
    expect(await world.job()).toMatchObject({ processState: 'Processed' })
  })

  it('cannot return the result, and says what it lacks', async () => {
    await client.submit(writing, {}, { jobId: 'job-1' })
    await settleDown()
    const job = await clientWith(noPayloads).get('job-1')
    await expect(job?.result()).rejects.toThrow(advice)
    const other = await client.get('job-1')
    await expect(other?.result()).resolves.toEqual({ write: large, read: large.length })
  })

  it('refuses what is too large, and names the option', async () => {
    const huge = { of: 'x'.repeat(2_000_000) }
    await expect(clientWith(noPayloads).submit(reading, huge, { jobId: 'job-1' })).rejects.toThrow(
      'submit large inputs by reference, or give clients and hosts the option payloads',
    )
    await client.submit(reading, huge, { jobId: 'job-1' })
    await world.scheduler('scheduler-1').onChanges(await world.changes())
    await world.agents({ agents: [clerk], payloads }).onChanges(await world.changes(), { signal })
    await world.telemetry.waitFor('step.settled')
    expect(await world.step('read')).toMatchObject({ output: 2_000_000 })
  })
})

describe('an older instance (F-Y7)', () => {
  it('leaves a step with a ticket alone, so that no handler gets a ticket', async () => {
    await client.submit(reading, { of: large }, { jobId: 'job-1' })
    await world.scheduler().onChanges(await world.changes())
    const step = await world.step('read')
    expect(step).toMatchObject({ schema: continuingSchema, hasTickets: true })
    await world.put('job-1', [replacing(step, { ...step, schema: schemaVersion + 1 })])
    const writes = world.faults.writes.length
    const agents = world.agents({ agents: [clerk], payloads })
    await agents.onChanges(await world.changes(), { signal })
    await agents.stop(1_000)
    expect(world.faults.writes).toHaveLength(writes)
  })
})

describe('a payload of no job (F-Y2)', () => {
  const sweep = () => sweepPayloads({ payloads: store, store: world.store, clock: world.clock })

  it('is removed a day after a submission that wrote no job', async () => {
    world.faults.failWrites({ kind: 'throws', error: unavailable })
    await expect(client.submit(reading, { of: large }, { jobId: 'job-9' })).rejects.toBe(unavailable)
    await world.clock.advance(dayMs - 1)
    expect(await sweep()).toBe(0)
    await world.clock.advance(1)
    expect(await sweep()).toBe(1)
    expect(store.stored.size).toBe(0)
  })

  it('is removed after its job has expired, with all others of the job (F-Y8)', async () => {
    await client.submit(writing, {}, { jobId: 'job-1', retainFor: '2d' })
    await client.submit(reading, { of: large }, { jobId: 'job-2' })
    await payloads.put({ partitionKey: 'job-1', jobId: 'job-1' }, large)
    await settleDown()
    await world.clock.advance(dayMs)
    expect(await sweep()).toBe(0)
    await world.clock.advance(2 * dayMs)
    expect(await sweep()).toBe(2)
    expect([...store.stored.values()].map(({ payload }) => payload.jobId)).toEqual(['job-2'])
    expect(store.calls.filter((call) => call === 'remove')).toHaveLength(2)
  })

  it('stays if the store cannot say whether its job exists', async () => {
    await payloads.put({ partitionKey: 'job-9', jobId: 'job-9' }, large)
    await world.clock.advance(dayMs)
    world.faults.failReads({ kind: 'throws', error: unavailable })
    await expect(sweep()).rejects.toBe(unavailable)
    expect(store.stored.size).toBe(1)
  })
})

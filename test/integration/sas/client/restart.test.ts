import { beforeEach, describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../src/platform/index.js'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import type { RestartOptions } from '../../../../src/sas/client/repair/restart-options.js'
import type { AgentContext } from '../../../../src/sas/agents/agent.js'
import { CommandInvalid, CommandRefused, JobNotFound } from '../../../../src/sas/model/errors.js'
import { Payloads } from '../../../../src/sas/payloads/payloads.js'
import { sweepPayloads } from '../../../../src/sas/payloads/payload-sweep.js'
import { defineWorkflow, type Workflow } from '../../../../src/sas/workflow/workflow.js'
import { MemoryPayloads } from '../../../support/memory-payloads.js'
import { StateWorld } from '../../../support/state-world.js'

interface Call {
  readonly name: string
  readonly input: unknown
  readonly key: string
  readonly undoes: string | null
}

interface Order {
  readonly amount: number
}

let world: StateWorld
let client: JobClient
let calls: Call[]
/** The steps whose service refuses for good, and the undos that it refuses. */
let refused: Set<string>

beforeEach(() => {
  world = new StateWorld()
  client = clientOf()
  calls = []
  refused = new Set()
})

function clientOf(payloads?: Payloads): JobClient {
  const { store, queries, clock, telemetry } = world
  return new JobClient({ store, queries, clock, telemetry, ...(payloads && { payloads }) })
}

const called = (name: string, input: unknown, context: AgentContext): void => {
  const { idempotencyKey: key, undoes } = context
  calls.push({ name, input, key, undoes })
  if (refused.has(name)) context.failPermanently(`${name} is impossible`)
}

const bank = defineAgent('bank', {
  act: (input: { readonly step: string; readonly of?: unknown }, context: AgentContext) => {
    called(input.step, input, context)
    return { by: input.step, of: input.of ?? null }
  },
  undo: (input: { readonly step: string }, context: AgentContext) => {
    called(`undo ${input.step}`, input, context)
    return null
  },
})

const order: Workflow<Order> = defineWorkflow<Order>('order', (job) => {
  const reserve = job.step(
    'reserve',
    bank.act,
    { step: 'reserve', of: job.input.amount },
    { undo: () => bank.undo({ step: 'reserve' }) },
  )
  const note = job.step('note', bank.act, { step: 'note', of: reserve.output }, { undo: 'none' })
  const charge = job.step(
    'charge',
    bank.act,
    { step: 'charge', of: job.input.amount },
    { after: [note], undo: () => bank.undo({ step: 'charge' }), undoUncertain: false },
  )
  const print = job.step('print', bank.act, { step: 'print', of: charge.output }, { undo: 'none' })
  job.step('ship', bank.act, { step: 'ship' }, { after: [print], undo: () => bank.undo({ step: 'ship' }) })
  job.onExhausted('error')
})

async function run(payloads?: Payloads): Promise<void> {
  const scheduler = world.scheduler()
  const agents = world.agents({ agents: [bank], ...(payloads && { payloads }) })
  const going = { signal: new AbortController().signal }
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    await scheduler.onChanges(page)
    await agents.onChanges(page, going)
    await agents.stop(1_000)
  }
}

async function ended(...impossible: string[]): Promise<void> {
  refused = new Set(impossible)
  await client.submit(order, { amount: 5 }, { jobId: 'o', tags: { customer: 7 } })
  await run()
  refused.clear()
  calls = []
}

const terms = { from: 'charge', by: 'ann', why: 'wrong amount' } as const
const restart = (options: Partial<RestartOptions> = {}) => client.restart('o', { ...terms, ...options })
const names = (): string[] => calls.map(({ name }) => name)

describe('a restart', () => {
  it('names the steps that succeeded, run again and have no undo', async () => {
    await ended('ship')
    expect(await restart({ from: 'print', after: 'keep', dryRun: true })).toMatchObject({
      again: ['print', 'ship'],
      kept: ['ship'],
      repeated: ['print'],
    })
    expect(await restart({ after: 'keep', dryRun: true })).toMatchObject({
      again: ['charge', 'print', 'ship'],
      kept: ['charge', 'ship'],
      repeated: ['print'],
    })
  })

  it('carries over what was done, and runs the rest with new keys and the corrected input', async () => {
    await ended('charge')
    const report = await restart({ input: { amount: 6 } })
    expect(report).toEqual({
      jobId: 'o.r1',
      partitionKey: 'o',
      restartOf: 'o',
      from: 'charge',
      carried: ['reserve', 'note'],
      again: ['charge', 'print', 'ship'],
      undone: [],
      kept: [],
      repeated: [],
      isNew: true,
      isDryRun: false,
    })
    await run()
    expect(calls).toEqual([
      { name: 'charge', input: { step: 'charge', of: 6 }, key: 'o.r1/charge/g1/do', undoes: null },
      expect.objectContaining({ name: 'print', key: 'o.r1/print/g1/do' }),
      expect.objectContaining({ name: 'ship', key: 'o.r1/ship/g1/do' }),
    ])
    const job = await client.get('o.r1')
    expect(await job?.result()).toMatchObject({ reserve: { of: 5 }, charge: { of: 6 } })
  })

  it('links both jobs in one write, and says so in the audit and the view (I33)', async () => {
    await ended('charge')
    const before = world.faults.writes.length
    await restart({ input: { amount: 6 }, stepInput: { step: 'charge', of: 9 } })
    const written = world.faults.writes
      .slice(before)
      .map((writes) => writes.map(({ document }) => document.id))
    expect(written).toEqual([
      ['sas.job:o', 'sas.job:o.r1', ...order.plan.steps.map(({ id }) => `sas.step:o.r1:${id}`)],
    ])
    const origin = await (await client.get('o'))?.view()
    expect(origin).toMatchObject({
      state: 'Compensated',
      why: 'It was restarted from step charge as job o.r1, which owns what it did.',
      attention: null,
      restartedAs: { jobId: 'o.r1', from: 'charge' },
      audit: [{ command: 'restart', stepId: 'charge', by: 'ann', why: 'wrong amount', as: 'o.r1' }],
    })
    expect(origin?.audit[0]?.edit?.changes).toMatchObject([
      { stepId: null, path: 'input.amount', before: '5', after: '6' },
      { stepId: 'charge', path: 'input.of', before: '5', after: '9' },
    ])
    const view = await (await client.get('o.r1'))?.view()
    expect(view).toMatchObject({
      restartOf: { jobId: 'o', from: 'charge', by: 'ann', why: 'wrong amount' },
      tags: { customer: '7' },
    })
    await run()
    expect(calls[0]?.input).toEqual({ step: 'charge', of: 9 })
    expect(world.telemetry.of('job.operated')).toMatchObject([{ command: 'restart', jobId: 'o' }])
  })

  it('lets only the new job undo a carried step, once, under the key that the service knows (I34, F-B5)', async () => {
    await ended('charge')
    await restart()
    await expect(client.resubmit('o', { by: 'ann', why: 'too' })).rejects.toThrow(
      'job o is over: it was restarted from step charge as job o.r1: give the command about that job',
    )
    await expect(client.cancel('o', 'no')).rejects.toThrow(CommandRefused)
    await run()
    calls = []
    refused = new Set(['ship'])
    await client.restart('o.r1', { ...terms, from: 'ship', after: 'keep' })
    await run()
    await client.cancel('o.r2', 'no longer wanted')
    await run()
    expect(calls.filter(({ undoes }) => undoes !== null)).toEqual([
      expect.objectContaining({ name: 'undo ship', undoes: 'o.r2/ship/g1/do' }),
      {
        name: 'undo charge',
        input: { step: 'charge' },
        key: 'o.r1/charge/g1/undo',
        undoes: 'o.r1/charge/g1/do',
      },
      {
        name: 'undo reserve',
        input: { step: 'reserve' },
        key: 'o/reserve/g1/undo',
        undoes: 'o/reserve/g1/do',
      },
    ])
    expect((await world.job('o.r2', 'o')).processState).toBe('Compensated')
  })

  it('undoes first what runs again, in order, and keeps what was carried over', async () => {
    await ended()
    expect((await world.job('o')).processState).toBe('Processed')
    await expect(restart()).rejects.toThrow(
      'steps charge, ship run again and may have acted: pass after: "undo" to undo first',
    )
    expect(await restart({ after: 'undo' })).toMatchObject({ undone: ['charge', 'ship'] })
    await run()
    expect(calls.map(({ name, key }) => `${name} ${key}`)).toEqual([
      'undo ship o/ship/g1/undo',
      'undo charge o/charge/g1/undo',
      'charge o.r1/charge/g2/do',
      'print o.r1/print/g1/do',
      'ship o.r1/ship/g2/do',
    ])
    expect(await world.job('o.r1', 'o')).toMatchObject({ processState: 'Processed', compensation: null })
    // A job that ended well stays as it was.
    expect((await world.job('o')).processState).toBe('Processed')
  })

  it('flags the new job if such an undo fails, and goes on after a resubmission (F-B4)', async () => {
    await ended()
    await restart({ after: 'undo' })
    refused = new Set(['undo ship'])
    await run()
    expect((await world.job('o.r1', 'o')).attention?.kind).toBe('compensationFailed')
    refused.clear()
    calls = []
    await client.resubmit('o.r1', { by: 'ann', why: 'repaired' })
    await run()
    expect(names()).toEqual(['undo ship', 'undo charge', 'charge', 'print', 'ship'])
  })

  it('leaves effects if the caller keeps them', async () => {
    await ended()
    expect(await restart({ after: 'keep' })).toMatchObject({ undone: [], kept: ['charge', 'ship'] })
    const origin = await (await client.get('o'))?.view()
    expect(origin?.why).toMatch(/\. The effects of charge and ship stay, and no job undoes them\.$/)
    await run()
    expect(calls.map(({ key }) => key)).toEqual(['o.r1/charge/g1/do', 'o.r1/print/g1/do', 'o.r1/ship/g1/do'])
  })

  it('can be repeated, and makes no second job (F-B1)', async () => {
    await ended('charge')
    world.faults.failWrites({ kind: 'unknownOutcome', truth: 'applied' })
    expect(await restart()).toMatchObject({ jobId: 'o.r1', isNew: false })
    const first = await world.job('o.r1', 'o')
    expect(await restart()).toMatchObject({ jobId: 'o.r1', isNew: false, carried: ['reserve', 'note'] })
    expect(await world.job('o.r1', 'o')).toEqual(first)
    await expect(restart({ input: { amount: 6 } })).rejects.toThrow('give the command about that job')
    await expect(restart({ from: 'print' })).rejects.toThrow('give the command about that job')
    await expect(restart({ as: 'other' })).rejects.toThrow('give the command about that job')
  })

  it('writes nothing if its write is lost, and then writes all of it', async () => {
    await ended('charge')
    world.faults.failWrites({ kind: 'unknownOutcome', truth: 'lost' })
    expect(await restart()).toMatchObject({ jobId: 'o.r1', isNew: true })
  })

  it('loses to a resubmission that comes first (F-B2)', async () => {
    await ended('charge')
    const write = () => client.resubmit('o', { by: 'bob', why: 'again' })
    world.faults.failWrites({ kind: 'rival', write })
    await expect(restart()).rejects.toThrow('job o is Pending; only a job that has ended, or is in Error')
    expect(await client.get('o.r1')).toBeNull()
  })

  it('writes nothing in a dry run', async () => {
    await ended('charge')
    expect(await restart({ dryRun: true })).toMatchObject({ jobId: 'o.r1', isDryRun: true })
    expect(await client.get('o.r1')).toBeNull()
    expect((await world.job('o')).restartedAs).toBeUndefined()
  })

  it('is refused with a sentence', async () => {
    await client.submit(order, { amount: 5 }, { jobId: 'o' })
    await expect(restart()).rejects.toThrow('job o is Pending; only a job that has ended, or is in Error')
    await run()
    const unknown = expect.objectContaining({ name: 'StepNotFound', step: 'x' }) as unknown
    await expect(restart({ from: 'x' })).rejects.toEqual(unknown)
    await expect(client.restart('p', terms)).rejects.toThrow(JobNotFound)
    await expect(restart({ after: 'leave' as 'keep' })).rejects.toThrow(CommandInvalid)
    await expect(restart({ why: '' })).rejects.toThrow(CommandInvalid)
    await expect(restart({ as: 'o', after: 'keep' })).rejects.toThrow('a job o exists already')
  })

  it('is refused under the id of a job in another partition, which would use the same keys', async () => {
    await client.submit(order, { amount: 5 }, { jobId: 'other' })
    await client.submit(order, { amount: 5 }, { jobId: 'o.r1', partitionKey: 'far' })
    await ended('charge')
    for (const as of ['other', 'o.r1']) {
      await expect(restart({ as, after: 'keep' })).rejects.toThrow(`a job ${as} exists already`)
      await expect(restart({ as, after: 'keep', dryRun: true })).rejects.toThrow('choose another id')
    }
    expect((await world.job('o')).restartedAs).toBeUndefined()
  })

  it('does not carry over a step that was undone', async () => {
    await ended('charge')
    await client.cancel('o', 'no')
    await run()
    await expect(restart()).rejects.toThrow('step reserve cannot be carried over because of an undo')
    calls = []
    await restart({ from: 'reserve' })
    await run()
    expect(calls[0]).toMatchObject({ name: 'reserve', key: 'o.r1/reserve/g1/do' })
  })

  it('restarts many jobs', async () => {
    await ended('charge')
    refused = new Set(['charge'])
    await client.submit(order, { amount: 5 }, { jobId: 'q' })
    await run()
    const selection = client.select({ workflow: 'order' })
    const dry = await selection.restart({ ...terms, dryRun: true })
    expect([...dry.done].sort()).toEqual(['o', 'q'])
    expect(await client.get('q.r1')).toBeNull()
    const { done } = await selection.restart({ ...terms, input: { amount: 1 } })
    expect([...done].sort()).toEqual(['o', 'q'])
    expect((await world.job('q.r1', 'q')).input).toEqual({ amount: 1 })
    expect(await selection.restart(terms)).toMatchObject({ done: [] })
  })

  it('expires the job that was restarted, as its workflow says', async () => {
    refused = new Set(['charge'])
    await client.submit(order, { amount: 5 }, { jobId: 'o', retainFor: '1h' })
    await run()
    await restart()
    await run()
    expect((await world.job('o')).ttl).toBe(3_600)
  })
})

describe('a restart of a large job', () => {
  const many = defineWorkflow<Order>('many', (job) => {
    const first = job.step('first', bank.act, { step: 'first' }, { undo: 'none' })
    const steps = Array.from({ length: 150 }, (_, index) =>
      job.step(`s${index}`, bank.act, { step: `s${index}` }, { after: [first], undo: 'none' }),
    )
    job.step('last', bank.act, { step: 'last' }, { after: steps, undo: 'none' })
    job.onExhausted('error')
  })

  beforeEach(async () => {
    refused = new Set(['last'])
    await client.submit(many, { amount: 1 }, { jobId: 'o' })
    await run()
    refused.clear()
    calls = []
  })

  it('is written in stages, and goes on where an interrupted one stopped (F-B3)', async () => {
    const down = new Error('crashed')
    world.faults.failWrites(
      { kind: 'rival', write: () => Promise.resolve() },
      { kind: 'throws', error: down },
    )
    await expect(restart({ from: 'last' })).rejects.toThrow()
    expect((await world.job('o')).restartedAs).toBeUndefined()
    await run()
    expect(calls).toEqual([])
    expect(await restart({ from: 'last' })).toMatchObject({ isNew: true })
    await run()
    expect(names()).toEqual(['last'])
    expect((await world.job('o.r1', 'o')).processState).toBe('Processed')
  })

  it('does not use the copies of an older version of the job', async () => {
    world.faults.failWrites(
      { kind: 'rival', write: () => Promise.resolve() },
      { kind: 'throws', error: new Error('crashed') },
    )
    await expect(restart({ from: 'last' })).rejects.toThrow()
    refused = new Set(['last'])
    await client.resubmit('o', { by: 'bob', why: 'again' })
    await run()
    await expect(restart({ from: 'last' })).rejects.toThrow('documents of a job o.r1 exist already')
    expect(await restart({ from: 'last', as: 'o.other' })).toMatchObject({ isNew: true })
  })
})

describe('a restart of a job with large values', () => {
  it('copies the payloads that the new job needs', async () => {
    const memory = new MemoryPayloads(() => world.clock.now())
    const payloads = new Payloads(memory, seededRandom(1))
    client = clientOf(payloads)
    const large = defineWorkflow<{ text: string }>('large', (job) => {
      const first = job.step('first', bank.act, { step: 'first', of: job.input.text }, { undo: 'none' })
      job.step('charge', bank.act, { step: 'charge', of: first.output }, { undo: 'none' })
      job.onExhausted('error')
    })
    refused = new Set(['charge'])
    await client.submit(large, { text: 'x'.repeat(5_000) }, { jobId: 'o', retainFor: '1h' })
    await run(payloads)
    refused.clear()
    await restart()
    const owners = [...memory.stored.values()].map(({ payload }) => payload.jobId)
    expect(owners).toEqual(['o', 'o', 'o.r1', 'o.r1'])
    // The job that was restarted is removed, and with it its payloads.
    const day = 25 * 3_600_000
    await world.clock.advance(day)
    const read: typeof world.store.read = async (address) =>
      address.id === 'sas.job:o' ? null : world.store.read(address)
    expect(await sweepPayloads({ payloads: memory, store: { read }, clock: world.clock })).toBe(2)
    calls = []
    await run(payloads)
    expect(calls[0]?.input).toEqual({ step: 'charge', of: { by: 'first', of: 'x'.repeat(5_000) } })
  })
})

import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent, type Agent } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { basicSchema, continuingSchema, plannedSchema } from '../../../../src/sas/model/documents.js'
import { text } from '../../../../src/sas/model/values/text-template.js'
import { Payloads } from '../../../../src/sas/payloads/payloads.js'
import { condition } from '../../../../src/sas/plan/condition.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { MemoryPayloads } from '../../../support/memory-payloads.js'
import { StateWorld } from '../../../support/state-world.js'

interface Report {
  readonly title: string
  readonly body: string
  readonly rows: readonly { readonly name: string }[]
}

const body = 'é'.repeat(5_000)
const rows = Array.from({ length: 400 }, (_, index) => ({ name: `row ${index}` }))
const report: Report = { title: 'May', body, rows }

let world: StateWorld
let store: MemoryPayloads
let client: JobClient
let agent: Agent
const calls: (readonly [string, unknown])[] = []
function noted<T>(name: string, input: unknown, output: T): T {
  calls.push([name, input])
  return output
}
const clerk = defineAgent('clerk', {
  read: (input: unknown) => noted('read', input, report),
  count: (input: { readonly of: unknown }) => noted('count', input, 1),
  fail: (_input: unknown, context): null => context.failPermanently('no'),
  takeBack: (input: { readonly of: unknown }) => noted('takeBack', input, null),
})
beforeEach(() => {
  world = new StateWorld()
  store = new MemoryPayloads(() => world.clock.now())
  client = new JobClient({ ...portsOf(world), payloads: payloads() })
  calls.length = 0
  agent = clerk
})

function portsOf({ store: documents, queries, clock, telemetry }: StateWorld) {
  return { store: documents, queries, clock, telemetry }
}

function payloads(): Payloads {
  return new Payloads(store, world.random)
}

async function runToEnd(rounds = 40): Promise<void> {
  const scheduler = world.scheduler('scheduler-1')
  const agents = world.agents({ agents: [agent], payloads: payloads() })
  const { signal } = new AbortController()
  for (let round = 0; round < rounds; round += 1) {
    const page = await world.changes()
    if (page.length === 0) break
    await scheduler.onChanges(page)
    await agents.onChanges(page, { signal })
    await agents.stop(1_000)
  }
  await world.clock.advance(1_000)
}

const ticket = { $payload: expect.objectContaining({ bytes: expect.any(Number) as number }) as unknown }

describe('a large value (I31)', () => {
  const copying = defineWorkflow<Report>('copying', (job) => {
    const made = job.step('read', clerk.read, { report: job.input }, { undo: 'none' })
    job.step('count', clerk.count, { of: made.output.rows }, { undo: 'none' })
  })

  it('reaches handlers and callers whole, and documents contain tickets in its place', async () => {
    const job = await client.submit(copying, report, { jobId: 'job-1' })
    await runToEnd()
    expect(calls).toEqual([
      ['read', { report }],
      ['count', { of: rows }],
    ])
    expect(await job.result()).toEqual({ read: report, count: 1 })
    const [stored, step] = [await world.job(), await world.step('read')]
    expect(stored).toMatchObject({ input: { title: 'May', body: ticket, rows: ticket }, hasTickets: true })
    expect(step).toMatchObject({ output: { title: 'May', body: ticket, rows: ticket }, hasTickets: true })
    expect([stored.schema, step.schema]).toEqual([plannedSchema, continuingSchema])
    for (const document of [stored, step]) expect(JSON.stringify(document).length).toBeLessThan(4_000)
  })

  it('is shown with its size in a view, and loaded on request', async () => {
    const job = await client.submit(copying, report, { jobId: 'job-1' })
    await runToEnd()
    const [shown] = (await job.view()).steps
    expect(shown?.output).toMatchObject({ rows: { $payload: { at: ['rows'], items: 400 } } })
    expect(await job.load(shown?.output ?? null)).toEqual(report)
  })

  it('is in the store before a document refers to it (I31)', async () => {
    store.faults.push('refused')
    await expect(client.submit(copying, report, { jobId: 'job-1' })).rejects.toMatchObject({
      code: 'PAYLOAD_UNAVAILABLE',
      retriable: true,
    })
    expect(await world.truth.read({ pk: 'job-1', id: 'sas.job:job-1' })).toBeNull()
    expect(store.calls).toEqual(['put'])
    await client.submit(copying, report, { jobId: 'job-1' })
    expect(store.stored.size).toBe(1)
  })

  it('is the same submission when it is repeated, although the payload has another id', async () => {
    await client.submit(copying, report, { jobId: 'job-1' })
    const again = await client.submit(copying, report, { jobId: 'job-1' })
    expect(again.jobId).toBe('job-1')
    await expect(
      client.submit(copying, { ...report, body: `${body}!` }, { jobId: 'job-1' }),
    ).rejects.toMatchObject({ code: 'JOB_CONFLICT' })
  })

  it('costs a small job nothing: no request, no field, no other schema', async () => {
    const small = { title: 'a', body: 'b', rows: [] }
    const brief = defineWorkflow<Report>('brief', (job) => {
      job.step('count', clerk.count, { of: job.input }, { undo: 'none' })
    })
    await client.submit(brief, small, { jobId: 'job-1' })
    await runToEnd()
    expect(store.calls).toEqual([])
    for (const document of [await world.job(), await world.step('count')]) {
      expect(document).not.toHaveProperty('hasTickets')
      expect(document.schema).toBe(document.type === 'sas.job' ? plannedSchema : basicSchema)
    }
  })
})

describe('a step that needs parts of a large value', () => {
  it('asks small fields in conditions, and may text, list and count large ones', async () => {
    const using = defineWorkflow<Report>('using', (job) => {
      const made = job.step('read', clerk.read, {}, { undo: 'none' })
      const isMay = condition.equal(made.output.title, 'May')
      job.step(
        'count',
        clerk.count,
        { of: text`It says ${made.output.body}!` },
        { when: isMay, undo: 'none' },
      )
      job.step(
        'many',
        clerk.count,
        { of: made.output.rows.length },
        { when: condition.present(made.output.body), undo: 'none', after: [made] },
      )
      job.forEach('each', made.output.rows, (row) => clerk.count({ of: row.name }), {
        atMost: 450,
        undo: 'none',
      })
    })
    const job = await client.submit(using, report, { jobId: 'job-1' })
    await runToEnd(3_000)
    expect(calls).toContainEqual(['count', { of: `It says ${body}!` }])
    expect(calls).toContainEqual(['count', { of: 400 }])
    expect(calls.filter(([, input]) => String((input as { of: unknown }).of).startsWith('row'))).toHaveLength(
      400,
    )
    expect(await job.result()).toMatchObject({ each: rows.map(() => 1), 'each-449': null })
  })

  it('is refused with advice if its condition asks for a large part', async () => {
    const asking = defineWorkflow<Report>('asking', (job) => {
      const made = job.step('read', clerk.read, {}, { undo: 'none' })
      const when = condition.equal(made.output.body, 'x')
      job.step('count', clerk.count, { of: 1 }, { when, undo: 'none' })
    })
    await client.submit(asking, report, { jobId: 'job-1' })
    await runToEnd()
    expect(await world.step('count')).toMatchObject({
      attention: {
        message:
          'the condition asks for a large value, which is in the payload store: return what conditions ask ' +
          'as a small field of its own',
      },
      mayHaveActed: false,
    })
  })

  it('gets the whole value for its undo', async () => {
    const undoing = defineWorkflow<Report>('undoing', (job) => {
      const made = job.step('read', clerk.read, {}, { undo: (output) => clerk.takeBack({ of: output }) })
      job.step('fail', clerk.fail, { of: made.output.body }, { undo: 'none', onExhausted: 'compensate' })
    })
    await client.submit(undoing, report, { jobId: 'job-1' })
    await runToEnd()
    expect(calls.at(-1)).toEqual(['takeBack', { of: report }])
    expect(await world.job()).toMatchObject({ processState: 'Compensated' })
  })

  it('gets the whole output of the round before', async () => {
    const seen: unknown[] = []
    const loop = defineAgent('loop', {
      next: (_input: unknown, context): { readonly isDone: boolean; readonly notes: string } => {
        seen.push(context.previous)
        return { isDone: context.round === 2, notes: body }
      },
    })
    const repeating = defineWorkflow('repeating', (job) => {
      job.repeat(
        'next',
        loop.next,
        {},
        {
          until: (output) => condition.equal(output.isDone, true),
          atMost: 5,
          undo: 'none',
        },
      )
    })
    agent = loop
    await client.submit(repeating, {}, { jobId: 'job-1' })
    await runToEnd()
    expect(seen).toEqual([null, { isDone: false, notes: body }])
    expect(await world.job()).toMatchObject({ processState: 'Processed' })
  })
})

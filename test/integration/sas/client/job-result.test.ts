import { beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import type { JobResult } from '../../../../src/sas/client/job.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { StoreRefused, StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { plannedSchema } from '../../../../src/sas/model/documents.js'
import { condition } from '../../../../src/sas/plan/condition.js'
import { text } from '../../../../src/sas/model/values/text-template.js'
import type { JobQueries } from '../../../../src/sas/store/job-queries.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { StateWorld } from '../../../support/state-world.js'

interface Order {
  readonly orderId: string
  readonly total: number
}

const bank = defineAgent('bank', {
  charge: ({ total }: { readonly total: number }) => ({ receipt: 'x'.repeat(total), total }),
  refuse: (_input: { readonly total: number }, context): { readonly at: string } =>
    context.failPermanently('no'),
})

const paying = defineWorkflow<Order, { receipt: string; note: string; order: string }>(
  'paying',
  (job) => {
    const paid = job.step('pay', bank.charge, { total: job.input.total }, { undo: 'none' })
    return { receipt: paid.output.receipt, note: text`paid ${job.input.total}`, order: job.input.orderId }
  },
  { jobId: ({ orderId }) => orderId },
)

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

async function runToEnd(): Promise<void> {
  const scheduler = world.scheduler('scheduler-1')
  const agents = world.agents({ agents: [bank] })
  const { signal } = new AbortController()
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    await scheduler.onChanges(page)
    await agents.onChanges(page, { signal })
    await agents.stop(1_000)
  }
  // A client does not read a job that it has only just submitted.
  await world.clock.advance(1_000)
}

it('600 waits of a client read each job every two seconds, and not every second', async () => {
  const job = await client.submit(paying, { orderId: 'o', total: 3 })
  const ending = new AbortController()
  const reads = world.faults.count('read')
  const waits = Array.from({ length: 600 }, () => job.result({ signal: ending.signal }))
  const ended = Promise.allSettled(waits)
  await world.clock.advance(20_000)
  expect(world.faults.count('read') - reads).toBeGreaterThan(9 * 600)
  expect(world.faults.count('read') - reads).toBeLessThanOrEqual(10 * 600)
  ending.abort()
  expect((await ended).every(({ status }) => status === 'rejected')).toBe(true)
})

describe('the result of a workflow that returns a value', () => {
  it('is that value, which the ended job carries instead of the outputs', async () => {
    const job = await client.submit(paying, { orderId: 'o', total: 3 })
    expect((await job.view()).result).toBeNull()
    await runToEnd()
    const expected = { receipt: 'xxx', note: 'paid 3', order: 'o' }
    const stored = await world.job('o')
    expect(stored.result).toEqual(expected)
    expect(stored).not.toHaveProperty('outputs')
    expect(stored.schema).toBe(plannedSchema)
    const reads = world.faults.count('read')
    const result = await (await client.get('o'))?.result()
    expect(result).toEqual(expected)
    expect([world.faults.count('read') - reads, world.faults.count('listSteps')]).toEqual([2, 0])
    expect((await job.view()).result).toEqual(expected)
    expectTypeOf<Awaited<ReturnType<typeof job.result>>>().toEqualTypeOf<{
      receipt: string
      note: string
      order: string
    }>()
  })

  it('is made of the outputs of the steps if it is large, and is stored only once', async () => {
    const job = await client.submit(paying, { orderId: 'o', total: 5_000 })
    await runToEnd()
    const stored = await world.job('o')
    expect(stored).not.toHaveProperty('result')
    expect(JSON.stringify(stored)).not.toContain('xxx')
    expect((await job.result()).receipt).toBe('x'.repeat(5_000))
    expect((await job.view()).result).toMatchObject({ receipt: 'x'.repeat(5_000) })
  })

  it('is also found if a scheduler of an older version ended the job', async () => {
    const job = await client.submit(paying, { orderId: 'o', total: 3 })
    await runToEnd()
    const { result: _result, ...ended } = await world.job('o')
    const older = { ...ended, outputs: { pay: { receipt: 'xxx', total: 3 } } }
    await world.store.apply('o', [replacing(ended, older)])
    expect(await job.result()).toEqual({ receipt: 'xxx', note: 'paid 3', order: 'o' })
  })

  it('may contain outcomes, and omits the outputs of steps that were skipped or failed', async () => {
    const workflow = defineWorkflow<Order>('choosing', (job) => {
      const goesOn = { onExhausted: 'continue', undo: 'none' } as const
      const first = job.step('first', bank.refuse, { total: job.input.total }, goesOn)
      const second = job.step(
        'second',
        bank.charge,
        { total: job.input.total },
        { when: condition.failed(first), undo: 'none' },
      )
      const third = job.step(
        'third',
        bank.charge,
        { total: job.input.total },
        { when: condition.done(first), undo: 'none' },
      )
      return {
        first: first.outcome,
        at: first.output.at,
        paid: second.output.total,
        third: [third.outcome, third.output.receipt],
      }
    })
    const job = await client.submit(workflow, { orderId: 'o', total: 2 }, { jobId: 'o' })
    await runToEnd()
    expect(await job.result()).toEqual({ first: 'refused', paid: 2, third: ['skipped', null] })
  })

  it('may be one reference', async () => {
    const workflow = defineWorkflow<Order, number>(
      'one',
      (job) => job.step('pay', bank.charge, { total: job.input.total }, { undo: 'none' }).output.total,
    )
    const job = await client.submit(workflow, { orderId: 'o', total: 2 }, { jobId: 'o' })
    await runToEnd()
    expect(await job.result()).toBe(2)
    expectTypeOf<Awaited<ReturnType<typeof job.result>>>().toEqualTypeOf<number>()
  })

  it('costs a workflow that returns nothing no field, and its result are its outputs', async () => {
    const workflow = defineWorkflow<Order>(
      'silent',
      (job) => void job.step('pay', bank.charge, { total: job.input.total }, { undo: 'none' }),
    )
    const job = await client.submit(workflow, { orderId: 'o', total: 2 }, { jobId: 'o' })
    expect(await world.job('o')).not.toHaveProperty('resultTemplate')
    await runToEnd()
    expect(await job.result()).toEqual({ pay: { receipt: 'xx', total: 2 } })
    expect((await job.view()).result).toBeNull()
    expect(await world.job('o')).not.toHaveProperty('result')
    expectTypeOf<Awaited<ReturnType<typeof job.result>>>().toEqualTypeOf<JobResult>()
  })
})

describe('a wait while the store is away', () => {
  const away = (reads: number) =>
    Array.from({ length: reads }, () => ({
      kind: 'throws' as const,
      error: new StoreUnavailable('the store is away', { cause: null }),
    }))

  it('goes on when the store is back', async () => {
    const job = await client.submit(paying, { orderId: 'o', total: 3 })
    await runToEnd()
    world.faults.failReads(...away(10))
    const result = job.result()
    await world.clock.advance(59_000)
    expect((await result).note).toBe('paid 3')
  })

  it('rejects after a minute, and before that reads the job at most every 5 s', async () => {
    const job = await client.submit(paying, { orderId: 'o', total: 3 })
    world.faults.failReads(...away(1_000))
    const ended = job.result().then(
      () => 'ended',
      (error: unknown) => error,
    )
    const isOver = { value: false }
    const noted = ended.then(() => (isOver.value = true))
    const before = world.faults.count('read')
    await world.clock.advance(59_000)
    expect(isOver.value).toBe(false)
    expect(world.faults.count('read') - before).toBeLessThanOrEqual(17)
    await world.clock.advance(6_000)
    await noted
    expect(await ended).toBeInstanceOf(StoreUnavailable)
  })

  it('counts each outage for itself', async () => {
    const job = await client.submit(paying, { orderId: 'o', total: 3 })
    world.faults.failReads(...away(10))
    const result = job.result()
    await world.clock.advance(50_000)
    world.faults.failReads(...away(10))
    await world.clock.advance(50_000)
    await runToEnd()
    expect((await result).note).toBe('paid 3')
  })

  it('follows a job to its end', async () => {
    await client.submit(paying, { orderId: 'o', total: 3 })
    let failures = 10
    const queries = Object.create(world.queries, {
      follow: {
        value: (partition: string) => {
          const feed = world.queries.follow(partition)
          return {
            readNext: async () => {
              failures -= 1
              if (failures >= 0) throw new StoreUnavailable('the store is away', { cause: null })
              return feed.readNext()
            },
          }
        },
      },
    }) as JobQueries
    const following = await new JobClient(
      Object.create(world, { queries: { value: queries } }) as StateWorld,
    ).get('o')
    await runToEnd()
    world.faults.failReads(...away(3))
    const states: string[] = []
    const followed = (async () => {
      for await (const { state } of following?.updates() ?? []) states.push(state)
    })()
    await world.clock.advance(59_000)
    await followed
    expect(states).toEqual(['Processed'])
    expect(failures).toBeLessThan(0)
  })

  it('rejects at once for other errors, and when its signal aborts', async () => {
    const job = await client.submit(paying, { orderId: 'o', total: 3 })
    await world.clock.advance(1_000)
    world.faults.failReads({ kind: 'throws', error: new StoreRefused('no permission', { cause: null }) })
    await expect(job.result()).rejects.toThrow('no permission')
    world.faults.failReads(...away(100))
    const ending = new AbortController()
    const waiting = job.result({ signal: ending.signal })
    const rejected = expect(waiting).rejects.toThrow('no more')
    await world.clock.advance(2_000)
    ending.abort(new Error('no more'))
    await rejected
  })

  it('refuses unknown and invalid options', async () => {
    const job = await client.submit(paying, { orderId: 'o', total: 3 })
    const given = (options: unknown) => options as { readonly signal: AbortSignal }
    await expect(job.result(given(5_000))).rejects.toThrow(
      'result: the argument is 5000; it must be an object',
    )
    await expect(job.result(given({ timeout: '5s' }))).rejects.toThrow('result: timeout is not an option')
    await expect(job.result(given({ signal: 'stop' }))).rejects.toThrow(
      'result: signal is "stop"; it must be an AbortSignal',
    )
    await expect(job.updates(given({ signal: 'stop' })).next()).rejects.toThrow('updates: signal is "stop"')
  })
})

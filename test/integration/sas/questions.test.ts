import { beforeEach, describe, expect, it } from 'vitest'
import { mustRead } from '../../../src/sas/decisions/readers.js'
import { recoverStep } from '../../../src/sas/decisions/recover-step.js'
import type { StepDocument } from '../../../src/sas/model/documents.js'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { StoreUnavailable } from '../../../src/sas/model/errors.js'
import { condition } from '../../../src/sas/plan/condition.js'
import { defineWorkflow } from '../../../src/sas/workflow/workflow.js'
import { shop } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'

const day = 86_400_000
const item = { item: 'x' }

const asking = defineWorkflow('asking', (job) => {
  const approved = job.ask('only', {
    title: 'Pay?',
    assignees: ['ann'],
    completeWithin: '3d',
    onExhausted: 'continue',
  })
  job.step('pay', shop.sell, item, { when: condition.equal(approved.output, true), undo: 'none' })
  job.step('apologise', shop.sell, item, { when: condition.timedOut(approved), undo: 'none' })
})

let world: StateWorld
let client: JobClient
beforeEach(async () => {
  world = new StateWorld()
  const { store, queries, clock, telemetry } = world
  client = new JobClient({ store, queries, clock, telemetry })
  await client.submit(asking, {}, { jobId: 'job-1' })
  await world.scheduler().onChanges(await world.changes())
})

async function decided(): Promise<Record<string, string>> {
  for (let page = await world.changes(); page.length > 0; page = await world.changes())
    await world.scheduler().onChanges(page)
  const { steps } = await world.job()
  return Object.fromEntries(Object.entries(steps).map(([stepId, { state }]) => [stepId, state]))
}

const refusal = (reason: string) => ({ name: 'CommandRefused', message: reason })

describe('an inbox', () => {
  it('lists a question until it is answered', async () => {
    const [question, ...others] = await client.inbox({ assignee: 'ann' })
    expect(others).toEqual([])
    expect(question).toEqual({
      jobId: 'job-1',
      stepId: 'only',
      orderId: 'job-1',
      workflow: 'asking',
      partitionKey: 'job-1',
      title: 'Pay?',
      assignees: ['ann'],
      since: new Date(world.clock.now()).toISOString(),
      expiresAt: new Date(world.clock.now() + 3 * day).toISOString(),
      form: { type: 'boolean' },
    })
    expect(await client.inbox({ assignee: 'bob' })).toEqual([])
    await client.answer('job-1', 'only', true, { by: 'ann' })
    expect(await client.inbox()).toEqual([])
  })

  it('refuses a filter that it does not know', async () => {
    await expect(client.inbox({ asignee: 'ann' } as never)).rejects.toMatchObject({ name: 'CommandInvalid' })
  })
})

it('a reminder is read by the scheduler, which flags the job', async () => {
  const reminding = defineWorkflow('reminding', (job) => {
    job.ask('approve', { title: 'Pay?', remindAfter: '1d', completeWithin: '3d' })
  })
  await client.submit(reminding, {}, { jobId: 'job-2' })
  await decided()
  await world.clock.advance(day + 5_000)
  const step = await world.store.read({ pk: 'job-2', id: 'sas.step:job-2:approve' })
  const recovery = recoverStep(step as unknown as StepDocument, {
    now: world.clock.now(),
    graceMs: 2_000,
    supervisor: 'supervisor-1',
  })
  if (recovery.kind !== 'reminded') throw new Error(`the supervisor decided ${recovery.kind}`)
  expect(mustRead.scheduler({ ...recovery.step })).toBe(true)
  expect(mustRead.scheduler({ ...step })).toBe(false)
})

describe('an answer', () => {
  it('is told to the operators, and decides what follows', async () => {
    await client.answer('job-1', 'only', true, { by: 'ann', note: 'by phone' })
    expect(world.telemetry.of('question.answered')).toMatchObject([{ stepId: 'only', by: 'ann' }])
    expect(await decided()).toEqual({ only: 'Processed', pay: 'Processing', apologise: 'Skipped' })
  })

  it('is refused with the reason if an argument or the data is invalid, and nothing is written', async () => {
    const before = await world.step('only')
    const invalid = { name: 'CommandInvalid' }
    await expect(client.answer('job-1', 'only', true, {} as never)).rejects.toMatchObject(invalid)
    await expect(client.answer('job-1', 'only', () => 1, { by: 'ann' })).rejects.toMatchObject(invalid)
    await expect(client.answer('job-1', 'only', 'yes', { by: 'ann' })).rejects.toMatchObject({
      ...invalid,
      message: expect.stringContaining('answer to step only: ') as string,
    })
    expect(await world.step('only')).toEqual(before)
  })

  it('is refused for a job or a step that does not ask', async () => {
    const by = { by: 'ann' }
    await expect(client.answer('none', 'only', true, by)).rejects.toMatchObject({ name: 'JobNotFound' })
    await expect(client.answer('job-1', 'none', true, by)).rejects.toMatchObject({
      name: 'StepNotFound',
      message: 'job "job-1" has no step "none"; these steps ask: only',
    })
    await expect(client.answer('job-1', 'pay', true, { by: 'ann' })).rejects.toMatchObject(
      refusal('step pay asks no question; these steps ask: only'),
    )
    await expect(client.raiseEvent('job-1', 'only')).rejects.toMatchObject(
      refusal('step only asks a question: answer it instead'),
    )
  })

  it.each(['applied', 'lost'] as const)(
    'whose write has an unknown outcome is written once (F-H2): %s',
    async (truth) => {
      world.faults.failWrites({ kind: 'unknownOutcome', truth })
      await client.answer('job-1', 'only', true, { by: 'ann' })
      const { _etag } = await world.step('only')
      await client.answer('job-1', 'only', true, { by: 'ann' })
      expect(await world.step('only')).toMatchObject({ _etag, event: { payload: true, by: 'ann' } })
    },
  )

  it('is refused with the name of the person who was faster (F-H2)', async () => {
    const { store, queries, clock, telemetry } = world
    const rival = new JobClient({ store, queries, clock, telemetry })
    const write = () => rival.answer('job-1', 'only', false, { by: 'bob' })
    world.faults.failWrites({ kind: 'rival', write })
    await expect(client.answer('job-1', 'only', true, { by: 'ann' })).rejects.toMatchObject({
      message: expect.stringMatching(/^step only was already answered by bob at /u) as string,
    })
  })
})

describe('a question whose time is over (F-H1)', () => {
  it('can no longer be answered, even before the supervisor notices', async () => {
    await world.clock.advance(3 * day)
    const late = client.answer('job-1', 'only', true, { by: 'ann' })
    await expect(late).rejects.toMatchObject(
      refusal('step only could be answered until 2026-01-04T00:00:00.000Z'),
    )
    await world.clock.advance(3_000)
    await world.supervisor().runOnce()
    expect(await decided()).toMatchObject({ only: 'TimedOut', pay: 'Skipped', apologise: 'Processing' })
    await expect(client.answer('job-1', 'only', true, { by: 'ann' })).rejects.toMatchObject(
      refusal('step only was not answered in time, and can no longer be answered'),
    )
    expect(await client.inbox()).toEqual([])
  })

  it('counts as answered if the answer was written before', async () => {
    await world.clock.advance(3 * day - 1)
    await client.answer('job-1', 'only', true, { by: 'ann' })
    await world.clock.advance(5_000)
    await world.supervisor().runOnce()
    expect(await decided()).toMatchObject({ only: 'Processed', apologise: 'Skipped' })
  })
})

it('a scheduler that dies before it writes a question, or before it reads the answer, is replaced (F-H3)', async () => {
  await client.submit(asking, {}, { jobId: 'job-2' })
  const gone = new StoreUnavailable('the process died', { cause: null })
  const first = await world.changes()
  world.faults.failWrites({ kind: 'throws', error: gone })
  await expect(world.scheduler('dying').onChanges(first)).rejects.toBe(gone)
  await world.scheduler('heir').onChanges(first)
  expect((await client.inbox()).map(({ jobId }) => jobId)).toEqual(['job-1', 'job-2'])
  await client.answer('job-1', 'only', true, { by: 'ann' })
  const answered = await world.changes()
  world.faults.failWrites({ kind: 'throws', error: gone })
  await expect(world.scheduler('dying').onChanges(answered)).rejects.toBe(gone)
  await world.scheduler('heir').onChanges(answered)
  expect(await decided()).toMatchObject({ only: 'Processed', pay: 'Processing' })
})

it('a question of a job that is cancelled is closed (F-H4)', async () => {
  await client.cancel('job-1', 'withdrawn')
  await decided()
  expect(await client.inbox()).toEqual([])
  await expect(client.answer('job-1', 'only', true, { by: 'ann' })).rejects.toMatchObject(
    refusal('step only is not asked any more'),
  )
})

import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAgent, type Agent } from '../../../../src/sas/agents/agent.js'
import {
  JobConflict,
  JobFailed,
  JobNotFound,
  StoreUnavailable,
  SubmissionInvalid,
} from '../../../../src/sas/model/errors.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import type { SubmitOptions } from '../../../../src/sas/client/submission-request.js'
import { JobEndings, type EndedJob } from '../../../../src/sas/in-process/job-endings.js'
import type { SchedulerOptions } from '../../../../src/sas/scheduler/scheduler-options.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { defineWorkflow, type SubmissionDefaults } from '../../../../src/sas/workflow/workflow.js'
import { aJob, aWorkflow, shop } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

interface Order {
  readonly orderId: string
  readonly total?: number
}

const going = { signal: new AbortController().signal }

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = clientOf(world)
})

function clientOf({ store, queries, clock, telemetry }: StateWorld, wakeUps?: JobEndings): JobClient {
  return new JobClient({ store, queries, clock, telemetry, ...(wakeUps === undefined ? {} : { wakeUps }) })
}

function ordering(submission: SubmissionDefaults<Order> = {}) {
  return defineWorkflow<Order>(
    'ordering',
    (job) => void job.step('pay', shop.sell, { item: 'x' }),
    submission,
  )
}

const workflow = ordering({ jobId: (order) => order.orderId })

/** Runs all submitted jobs to their end. */
async function runToEnd(
  options: Pick<SchedulerOptions, 'onJobEnded'> = {},
  known: readonly Agent[] = [shop],
): Promise<void> {
  const scheduler = world.scheduler('scheduler-1', options)
  const agents = world.agents({ agents: known })
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    await scheduler.onChanges(page)
    await agents.onChanges(page, going)
    await agents.stop(1_000)
  }
}

describe('a submission', () => {
  it('stores the job and returns it (R15, R22, R27)', async () => {
    const job = await client.submit(workflow, { orderId: 'order-1', total: 3 })
    expect([job.jobId, job.partitionKey]).toEqual(['order-1', 'order-1'])
    expect(await world.job('order-1')).toMatchObject({
      orderId: 'order-1',
      workflow: 'ordering',
      processState: 'Pending',
      input: { orderId: 'order-1', total: 3 },
      submittedAtMs: world.clock.now(),
    })
    expect(world.telemetry.of('job.submitted')).toMatchObject([{ jobId: 'order-1', isNew: true }])
  })

  it('prefers the submitter’s ids and partition key to the workflow’s', async () => {
    const job = await client.submit(
      workflow,
      { orderId: 'order-1' },
      { jobId: 'j', orderId: 'o', partitionKey: 'p' },
    )
    expect(job.partitionKey).toBe('p')
    expect(await world.job('j', 'p')).toMatchObject({ orderId: 'o', pk: 'p' })
  })

  it('is the same job when it is repeated with its properties in any order (F-S2, F-S13, R23)', async () => {
    await client.submit(workflow, { orderId: 'order-1', total: 3 })
    const before = await world.job('order-1')
    await client.submit(workflow, { total: 3, orderId: 'order-1' })
    expect(await world.job('order-1')).toEqual(before)
    expect(world.telemetry.of('job.submitted').map(({ isNew }) => isNew)).toEqual([true, false])
  })

  it('with another payload is a conflict, and the first one stays (F-S5)', async () => {
    await client.submit(workflow, { orderId: 'order-1', total: 3 })
    const second = client.submit(workflow, { orderId: 'order-1', total: 4 })
    await expect(second).rejects.toThrow(JobConflict)
    await expect(second).rejects.toThrow('job "order-1" already exists with another payload; use another id')
    expect(await world.job('order-1')).toMatchObject({ input: { total: 3 } })
  })

  it('creates the documents alongside in the job’s partition, with the job (I14)', async () => {
    const alongside = [{ create: { id: 'order-1', total: 3 } }]
    await client.submit(workflow, { orderId: 'order-1' }, { alongside })
    expect(await world.truth.read({ pk: 'order-1', id: 'order-1' })).toMatchObject({
      pk: 'order-1',
      total: 3,
    })
    const byDefault = ordering({
      jobId: ({ orderId }) => orderId,
      alongside: (order) => [{ create: { ...order, id: 'o' } }],
    })
    await client.submit(byDefault, { orderId: 'order-2' })
    expect(await world.truth.read({ pk: 'order-2', id: 'o' })).toMatchObject({ orderId: 'order-2' })
  })

  it('with a document that exists without a job is a conflict, and stores nothing (F-S6)', async () => {
    await world.put('order-1', [{ kind: 'create', document: { id: 'mine', pk: 'order-1' } }])
    const alongside = [{ create: { id: 'mine' } }]
    await expect(client.submit(workflow, { orderId: 'order-1' }, { alongside })).rejects.toThrow(
      'job "order-1": document "mine" exists already without a job; remove it, or submit without it',
    )
    expect(await client.get('order-1')).toBeNull()
  })

  it.each(['applied', 'lost'] as const)(
    'is one job when its reply is lost and its write was %s (F-S3)',
    async (truth) => {
      world.faults.failWrites({ kind: 'unknownOutcome', truth })
      const job = await client.submit(workflow, { orderId: 'order-1' })
      expect((await job.view()).steps).toHaveLength(1)
      expect(world.faults.writes).toHaveLength(truth === 'applied' ? 1 : 2)
    },
  )

  it('succeeds when its second try finds the documents of the first (F-S4)', async () => {
    world.faults.failWrites(
      { kind: 'unknownOutcome', truth: 'lost' },
      { kind: 'rival', write: () => world.truth.apply('order-1', world.faults.writes[0] ?? []) },
    )
    await client.submit(workflow, { orderId: 'order-1' })
    expect(await world.job('order-1')).toMatchObject({ processState: 'Pending' })
  })

  it('fails with the advice to repeat it when the store never confirms the write', async () => {
    world.faults.failWrites(
      ...Array.from({ length: 3 }, () => ({ kind: 'unknownOutcome', truth: 'lost' }) as const),
    )
    const submitting = client.submit(workflow, { orderId: 'order-1' })
    await expect(submitting).rejects.toThrow(StoreUnavailable)
    await expect(submitting).rejects.toThrow('submit the job again with the same id')
  })

  it('fails when the store is not available (F-S10)', async () => {
    const error = new StoreUnavailable('busy', { cause: null, retryAfterMs: 500 })
    world.faults.failWrites({ kind: 'throws', error })
    await expect(client.submit(workflow, { orderId: 'order-1' })).rejects.toBe(error)
    expect(error).toMatchObject({ retriable: true, retryAfterMs: 500 })
  })
})

describe('the defaults of a workflow', () => {
  const terms = { priority: 5, completeWithin: '2h', retainFor: '30d' } as const
  const fast = ordering({
    ...terms,
    jobId: (order) => order.orderId,
    partitionKey: ({ orderId }) => `customer-of-${orderId}`,
  })
  const [hour, day] = [3_600_000, 86_400_000]

  it('apply to a submission', async () => {
    const job = await client.submit(fast, { orderId: 'o-1' })
    expect(job.partitionKey).toBe('customer-of-o-1')
    expect(await world.job('o-1', 'customer-of-o-1')).toMatchObject({
      pk: 'customer-of-o-1',
      priority: 5,
      completeWithinMs: 2 * hour,
      retainForMs: 30 * day,
    })
  })

  it('are overridden by the options of the submission, also by 0', async () => {
    const options = { priority: 0, completeWithin: '1h', retainFor: '1d', partitionKey: 'p' } as const
    await client.submit(fast, { orderId: 'o-1' }, options)
    expect(await world.job('o-1', 'p')).toMatchObject({
      priority: 0,
      completeWithinMs: hour,
      retainForMs: day,
    })
  })

  it('are checked when the workflow is defined', () => {
    const wrong = { priority: 'high', completeWithin: 'soon', retainFor: 0, partitionKey: 'p' } as object
    expect(() => ordering(wrong)).toThrow(/priority is "high".*completeWithin is "soon".*retainFor is 0/)
    expect(() => ordering(wrong)).toThrow('partitionKey is "p"; it must be a function')
  })

  it('include a partition key that is checked at each submission', async () => {
    const empty = ordering({ jobId: () => 'o-1', partitionKey: () => '' })
    await expect(client.submit(empty, { orderId: 'o-1' })).rejects.toThrow('partitionKey is ""; it must be')
    expect(world.faults.writes).toEqual([])
  })
})

describe('the schema of an input', () => {
  const input = z.object({ orderId: z.string().min(1), total: z.number().min(0).optional() })
  const checked = ordering({ input, jobId: (order) => order.orderId.trim() })

  it('refuses an input that does not fit, before any function of the workflow, and writes nothing', async () => {
    const wrong = { orderId: 5, total: -1 } as unknown as Order
    const submitting = client.submit(checked, wrong)
    await expect(submitting).rejects.toThrow(SubmissionInvalid)
    await expect(submitting).rejects.toThrow(
      /^workflow ordering: input\.orderId is 5: .*expected string.*; input\.total is -1: too small/,
    )
    expect(world.faults.writes).toEqual([])
  })

  it('changes no input, and adds nothing to the job', async () => {
    const order = { orderId: 'o-1', other: true } as Order
    await client.submit(checked, order)
    expect((await world.job('o-1')).input).toEqual(order)
    expect(JSON.stringify(await world.job('o-1'))).not.toContain('json-schema')
  })

  it('is checked when the workflow is defined', () => {
    expect(() => ordering({ input: { type: 'nonsense' } })).toThrow('input is no schema that can be checked')
  })
})

describe('the tags of a job', () => {
  const tagged = ordering({
    jobId: (order) => order.orderId,
    tags: ({ orderId, total = 0 }) => ({ order: orderId, isLarge: total > 100 }),
  })

  it('are those of the workflow and of the submission, which take precedence', async () => {
    const job = await client.submit(tagged, { orderId: 'o-1' }, { tags: { isLarge: 'maybe', tenant: 7 } })
    const expected = { order: 'o-1', isLarge: 'maybe', tenant: '7' }
    expect((await job.view()).tags).toEqual(expected)
    expect(await client.list({ tags: { tenant: 7 } })).toMatchObject([{ jobId: 'o-1', tags: expected }])
    expect(await client.list({ tags: { isLarge: false } })).toEqual([])
  })

  it('do not make a repeated submission another job', async () => {
    await client.submit(tagged, { orderId: 'o-1' })
    await client.submit(tagged, { orderId: 'o-1' }, { tags: { late: true } })
    expect((await (await client.get('o-1'))?.view())?.tags).toEqual({ order: 'o-1', isLarge: 'false' })
  })

  it('add nothing to a job without tags', async () => {
    await client.submit(workflow, { orderId: 'o-1' })
    expect(await world.job('o-1')).not.toHaveProperty('tags')
    expect((await (await client.get('o-1'))?.view())?.tags).toEqual({})
  })

  it.each<[string, SubmitOptions['tags'], string]>([
    ['of the submission', { 'a b': 1 }, 'tags: the name "a b" must begin with a letter'],
    ['that are no object', 'customer=1' as never, 'tags must be an object such as { customer: 4711 }'],
    ['that are null', null as never, 'tags must be an object'],
  ])('%s are refused if they are invalid, and nothing is written', async (_what, tags, message) => {
    const submitting = client.submit(tagged, { orderId: 'o-1' }, tags === undefined ? {} : { tags })
    await expect(submitting).rejects.toThrow(SubmissionInvalid)
    await expect(submitting).rejects.toThrow(message)
    expect(world.faults.writes).toEqual([])
  })

  it('of the workflow are refused if they are invalid, and nothing is written', async () => {
    const invalid = ordering({ jobId: () => 'o-1', tags: () => ({ order: '' }) })
    await expect(client.submit(invalid, { orderId: 'o-1' })).rejects.toThrow('tags.order is ""; it must be')
    expect(world.faults.writes).toEqual([])
  })
})

describe('a submission that can never be accepted', () => {
  const document = (create: Readonly<Record<string, unknown>>): SubmitOptions => ({ alongside: [{ create }] })

  it.each<[string, SubmitOptions, string]>([
    ['an empty id', { jobId: '' }, 'jobId is ""; it must be a text of 1 to 200 characters'],
    ['a long id', { jobId: 'x'.repeat(201) }, 'it must be a text of 1 to 200 characters'],
    ['a space at its end', { jobId: 'x ' }, 'jobId is "x "; it must be'],
    ['an empty partition key', { partitionKey: '' }, 'partitionKey is ""; it must be'],
    ['I1: a priority that is no number', { priority: Number.NaN }, 'priority is NaN; it must be a number'],
    [
      'I1: a priority that is a text',
      { priority: 'high' as unknown as number },
      'priority is "high"; it must be a number',
    ],
    [
      'I1: an order id that is no text',
      { orderId: 5 as unknown as string },
      'orderId is 5; it must be a string that is not empty',
    ],
    ['an empty order id', { orderId: '' }, 'orderId is ""; it must be a string that is not empty'],
    ['an empty address', { replyTo: '' }, 'replyTo is ""; it must be a string that is not empty'],
    ['an id that is no text', { jobId: 5 as unknown as string }, 'jobId is 5; it must be'],
    [
      'a retention that is none',
      { retainFor: 0 },
      'retainFor is 0; it must be a duration from 1 ms to 100 years',
    ],
    [
      'several mistakes, all of them',
      { priority: Infinity, retainFor: 'x', completeWithin: -1, partitionKey: '' },
      'partitionKey is ""; it must be a text of 1 to 200 characters, with no space at its ends and no lone surrogate; priority is Infinity; it must be a number; ' +
        'completeWithin is -1; it must be a duration from 1 ms to 100 years, such as 30000 or \'30s\'; retainFor is "x"; it must be',
    ],
    ['a document without id', document({}), 'a document alongside needs an id'],
    ['a document with an empty id', document({ id: '' }), 'this one has ""'],
    [
      'F-S15: a document of another partition',
      document({ id: 'o', pk: 'elsewhere' }),
      'document "o" with pk "elsewhere" must be in the job\'s partition "order-1"',
    ],
    [
      'two documents of one id',
      { alongside: [{ create: { id: 'o' } }, { create: { id: 'o' } }] },
      'job "order-1" has two documents with the id "o"',
    ],
    [
      'an id that we will need',
      document({ id: 'sas.notify:order-1:2' }),
      'ids and types beginning with "sas."',
    ],
    ['a document of our own types', document({ id: 'o', type: 'sas.job' }), 'types beginning with "sas."'],
    [
      'F-S9: a large document',
      document({ id: 'o', text: 'x'.repeat(1_950_000) }),
      'submit large inputs by reference',
    ],
    [
      'F-S7: too many documents',
      { alongside: Array.from({ length: 100 }, (_, index) => ({ create: { id: `o${index}` } })) },
      'needs 101 documents',
    ],
  ])('is rejected because of %s', async (_what, options, message) => {
    const submitting = client.submit(workflow, { orderId: 'order-1' }, options)
    await expect(submitting).rejects.toThrow(SubmissionInvalid)
    await expect(submitting).rejects.toThrow(message)
    expect(world.faults.writes).toEqual([])
  })

  it('is rejected because its plan could not be decoded (I1)', async () => {
    const { plan, ...rest } = ordering()
    const steps = plan.steps.map((step) => ({ ...step, actor: 7 as unknown as string }))
    const edited = { ...rest, plan: { ...plan, maxGenerations: 0.5, steps } }
    const submitting = client.submit(edited, { orderId: 'order-1' }, { jobId: 'j' })
    await expect(submitting).rejects.toThrow(SubmissionInvalid)
    await expect(submitting).rejects.toThrow(
      /^job "j" could not be read: sas\.job:j: maxGenerations: .*; sas\.step:j:\w+: actor: /,
    )
    expect(world.faults.writes).toEqual([])
  })

  it('is rejected because neither the submitter nor the workflow gives an id', async () => {
    await expect(client.submit(ordering(), { orderId: 'order-1' })).rejects.toThrow(
      'workflow ordering: pass a jobId, or define how the workflow finds the jobId',
    )
  })

  it.each([1n, () => 1])('is rejected because its input is not JSON: %s', async (input) => {
    await expect(client.submit(aWorkflow(), input, { jobId: 'j' })).rejects.toThrow('job "j": input is a')
  })

  it('is rejected with the name of a part that JSON would change silently', async () => {
    const input = { lines: [{ price: Number.NaN }] }
    await expect(client.submit(aWorkflow(), input, { jobId: 'j' })).rejects.toMatchObject({
      name: 'SubmissionInvalid',
      message: 'job "j": input.lines[0].price is NaN, which JSON cannot represent',
    })
    const alongside = [{ create: { id: 'note', at: new Map() } }]
    await expect(client.submit(aWorkflow(), {}, { jobId: 'j', alongside })).rejects.toThrow(
      'document "note".at is an instance of Map',
    )
    expect(world.faults.writes).toEqual([])
    await client.submit(aWorkflow(), {}, { jobId: 'j' })
    const edit = { by: 'o', why: 'w', step: 'only', input: [undefined] }
    await expect(client.resubmit('j', edit)).rejects.toMatchObject({
      name: 'CommandInvalid',
      message: 'job "j": input[0] is undefined, which JSON cannot represent',
    })
    await expect(client.resubmit('j', {} as typeof edit)).rejects.toThrow(
      /^resubmit: by is missing; .* why is missing; /u,
    )
    await expect(client.raiseEvent('j', 'only', { done: () => 1 })).rejects.toMatchObject({
      name: 'CommandInvalid',
      message: 'job "j": payload.done is a function, which JSON cannot represent',
    })
  })

  it('differs from one without input, which is stored with null', async () => {
    await client.submit(aWorkflow(), undefined, { jobId: 'j' })
    expect(await world.job('j')).toMatchObject({ input: null })
  })
})

describe('a list that turns out longer than its fan-out allows', () => {
  it('flags the job with the advice to submit another one, which then succeeds', async () => {
    const orders = defineAgent('orders', { find: () => ['a', 'b', 'c'] })
    const upTo = (atMost: number) =>
      defineWorkflow('selling', (job) => {
        const found = job.step('find', orders.find, {})
        job.forEach('sell', found.output, (item) => shop.sell({ item }), { atMost })
      })
    const job = await client.submit(upTo(2), {}, { jobId: 'j' })
    await runToEnd({}, [orders, shop])
    expect((await job.view()).attention?.message).toMatch(
      /the list of the step has 3 items; at most 2 are allowed, .*; this job cannot continue: cancel it, and submit another one, with another id$/,
    )
    await client.cancel('j', 'its list is too long')
    const another = await client.submit(upTo(3), {}, { jobId: 'k' })
    await runToEnd({}, [orders, shop])
    expect(await job.view()).toMatchObject({ state: 'Compensated' })
    expect(await another.view()).toMatchObject({ state: 'Processed' })
  })
})

describe('an event for which no step waits', () => {
  it('is refused with the names of the steps that wait for an event', async () => {
    const waiting = defineWorkflow('waiting', (job) => {
      job.waitFor('approval')
      job.waitFor('delivery')
      job.sleep('rest', '1m')
    })
    await client.submit(waiting, {}, { jobId: 'j' })
    await expect(client.raiseEvent('j', 'aproval')).rejects.toMatchObject({
      name: 'StepNotFound',
      step: 'aproval',
      message: 'job "j" has no step "aproval"; these steps wait for an event: approval, delivery',
    })
    await client.submit(aWorkflow(), {}, { jobId: 'k' })
    await expect(client.raiseEvent('k', 'approval')).rejects.toThrow('none of its steps waits for an event')
    await expect(client.raiseEvent('no', 'approval')).rejects.toMatchObject({ name: 'JobNotFound' })
    await expect(client.raiseEvent('j', 'approval', 1, { partitionkey: 'j' } as never)).rejects.toThrow(
      'raiseEvent: partitionkey is not an option: did you mean partitionKey?',
    )
    await expect(client.cancel('j', 'why', { dryrun: true } as never)).rejects.toThrow('did you mean dryRun?')
    expect((await (await client.get('j'))?.view())?.state).toBe('Pending')
  })

  it('names the value in the place of a workflow, and all options of a submission', async () => {
    await expect(client.submit(undefined as never, {})).rejects.toThrow(
      'submit: the workflow is missing; pass what defineWorkflow returns',
    )
    await expect(client.submit(aWorkflow(), {}, { jobId: 'j', nothing: 1 } as never)).rejects.toThrow(
      /nothing is not an option: the options are .*, tags/,
    )
  })

  it('is refused with the reason when the job was undone', async () => {
    const waiting = defineWorkflow('waiting', (job) => {
      job.waitFor('approval')
    })
    await client.submit(waiting, {}, { jobId: 'j' })
    const job = await world.truth.read({ pk: 'j', id: 'sas.job:j' })
    if (job === null) throw new Error('there is no job')
    await world.put('j', [replacing(job, { ...job, processState: 'Compensated' })])
    await expect(client.raiseEvent('j', 'approval')).rejects.toMatchObject({
      name: 'CommandRefused',
      message: expect.stringContaining('the job is Compensated: none of its steps waits') as string,
    })
  })
})

describe('a job', () => {
  it('is found by its id, with a point read if its partition is given or the default', async () => {
    await client.submit(workflow, { orderId: 'order-1' })
    await client.submit(workflow, { orderId: 'order-2' }, { partitionKey: 'p' })
    expect((await client.get('order-1'))?.partitionKey).toBe('order-1')
    expect((await client.get('order-2', { partitionKey: 'p' }))?.partitionKey).toBe('p')
    expect(world.faults.count('findJob')).toBe(0)
    expect((await client.get('order-2'))?.partitionKey).toBe('p')
    expect(await client.get('order-2', { partitionKey: 'elsewhere' })).toBeNull()
    expect(await client.get('order-3')).toBeNull()
  })

  it('shows its steps in the workflow’s order', async () => {
    const job = await client.submit(aWorkflow({ b: [], a: ['b'] }), {}, { jobId: 'j' })
    await runToEnd()
    expect(await job.view()).toMatchObject({
      jobId: 'j',
      state: 'Processed',
      partitionKey: 'j',
      lockedBy: null,
      steps: [
        { stepId: 'b', state: 'Processed', attempt: 1, output: { item: 'b' }, dependsOn: [] },
        { stepId: 'a', state: 'Processed', dependsOn: ['b'], completeBy: null },
      ],
    })
  })

  it('shows its other steps when a step is missing', async () => {
    const job = await client.submit(aWorkflow({ a: [] }), {}, { jobId: 'j' })
    const document = await world.job('j')
    const more = { ...document.steps, gone: { state: 'NotStarted' as const, dispatch: 0 } }
    await world.put('j', [replacing(document, { ...document, stepIds: ['gone', 'a'], steps: more })])
    expect((await job.view()).steps.map(({ stepId }) => stepId)).toEqual(['a'])
  })

  it('is listed, newest first, with the number of its steps that are done', async () => {
    await client.submit(aWorkflow({ a: [], b: ['a'] }), {}, { jobId: 'one' })
    await runToEnd()
    await world.clock.advance(5)
    await client.submit(aWorkflow({ a: [], b: ['a'] }), {}, { jobId: 'two' })
    const jobs = await client.list()
    expect(jobs).toMatchObject([
      { jobId: 'two', state: 'Pending', stepsDone: 0, stepCount: 2, endedAt: null, attention: null },
      { jobId: 'one', state: 'Processed', stepsDone: 2, stepCount: 2, workflow: 'shopping' },
    ])
    expect(await client.list({ state: 'Processed' })).toHaveLength(1)
  })
})

describe('the result of a job', () => {
  it('is every step’s output, once the job has ended', async () => {
    const job = await client.submit(aWorkflow({ a: [], b: ['a'] }), {}, { jobId: 'j' })
    const result = job.result()
    await runToEnd()
    await world.clock.advance(2_000)
    expect(await result).toEqual({ a: { item: 'a' }, b: { item: 'b' } })
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('comes at once, and without a read, when the job ends in this process', async () => {
    const endings = new JobEndings()
    const job = await clientOf(world, endings).submit(
      aWorkflow({ a: [], b: ['a'] }),
      {},
      { jobId: 'j', partitionKey: 'p' },
    )
    const result = job.result()
    await world.clock.advance(10_000)
    const looks = world.faults.count('read')
    await runToEnd({ onJobEnded: (ended) => endings.tell(ended) })
    expect(await result).toEqual({ a: { item: 'a' }, b: { item: 'b' } })
    expect([world.faults.count('read'), world.faults.count('listSteps')]).toEqual([looks, 0])
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('is a copy, so later changes to what a handler returned do not reach the caller', async () => {
    const endings = new JobEndings()
    const job = await clientOf(world, endings).submit(aWorkflow({ a: [] }), {}, { jobId: 'j' })
    const ends: EndedJob[] = []
    const result = job.result()
    await runToEnd({
      onJobEnded: (ended) => {
        ends.push(ended)
        endings.tell(ended)
      },
    })
    const output = (await result)['a']
    expect(output).toEqual({ item: 'a' })
    expect(output).not.toBe(ends[0]?.steps?.[0]?.output)
  })

  it('is read when a job ends in this process but its steps are not at hand', async () => {
    const endings = new JobEndings()
    const job = await clientOf(world, endings).submit(aWorkflow({ a: [] }), {}, { jobId: 'j' })
    const result = job.result()
    await runToEnd({ onJobEnded: ({ job: ended }) => endings.tell({ job: ended, steps: null }) })
    expect(await result).toEqual({ a: { item: 'a' } })
  })

  it('rejects at once with the diagnostics when a job fails in this process', async () => {
    const endings = new JobEndings()
    const empty = defineAgent('shop', {
      sell: (_input: unknown, context) => context.failPermanently('sold out'),
    })
    const job = await clientOf(world, endings).submit(aWorkflow(), {}, { jobId: 'j' })
    const diagnostics = [{ message: 'sold out' }]
    const result = expect(job.result()).rejects.toMatchObject({ name: 'JobFailed', jobId: 'j', diagnostics })
    await runToEnd({ onJobEnded: (ended) => endings.tell(ended) }, [empty])
    await result
    expect([world.faults.count('read'), world.faults.count('listSteps')]).toEqual([0, 0])
  })

  it('of a job with small outputs that ended elsewhere needs one read', async () => {
    await client.submit(aWorkflow({ a: [], b: ['a'] }), {}, { jobId: 'j' })
    await runToEnd()
    const job = await client.get('j')
    const read = world.faults.count('read')
    expect(await job?.result()).toEqual({ a: { item: 'a' }, b: { item: 'b' } })
    expect([world.faults.count('read') - read, world.faults.count('listSteps')]).toEqual([1, 0])
  })

  it.each([
    [4, 'reads few steps one by one', { read: 5, listSteps: 0 }],
    [5, 'asks for many steps at once', { read: 1, listSteps: 1 }],
  ])('of %d steps with large outputs that ended elsewhere %s', async (count, _what, expected) => {
    const ids = Array.from({ length: count }, (_, index) => `s${index}`)
    await client.submit(aWorkflow(Object.fromEntries(ids.map((id) => [id, []]))), {}, { jobId: 'j' })
    await runToEnd({}, [defineAgent('shop', { sell: () => 'x'.repeat(1_000) })])
    const job = await client.get('j')
    const [read, listSteps] = [world.faults.count('read'), world.faults.count('listSteps')]
    expect(Object.keys((await job?.result()) ?? {}).sort()).toEqual(ids)
    expect(world.faults.count('read') - read).toBe(expected.read)
    expect(world.faults.count('listSteps') - listSteps).toBe(expected.listSteps)
  })

  it('is first read after twice the usual duration, where this process hears of ends', async () => {
    const endings = new JobEndings()
    const hearing = clientOf(world, endings)
    const first = (await hearing.submit(aWorkflow(), {}, { jobId: 'first' })).result()
    await world.clock.advance(300)
    await runToEnd({ onJobEnded: (ended) => endings.tell(ended) })
    await first
    const looks = world.faults.count('read')
    const stopping = new AbortController()
    const second = await hearing.submit(aWorkflow(), {}, { jobId: 'second' })
    const waiting = expect(second.result({ signal: stopping.signal })).rejects.toThrow('enough')
    await world.clock.advance(599)
    expect(world.faults.count('read')).toBe(looks)
    await world.clock.advance(1)
    expect(world.faults.count('read')).toBe(looks + 1)
    stopping.abort(new Error('enough'))
    await waiting
  })

  it('is read less and less often, down to once a second', async () => {
    const job = await client.submit(aWorkflow(), {}, { jobId: 'j' })
    const stopping = new AbortController()
    const waiting = expect(job.result({ signal: stopping.signal })).rejects.toThrow('enough')
    await world.clock.advance(10_000)
    const looks = world.faults.count('read')
    await world.clock.advance(10_000)
    expect(world.faults.count('read')).toBe(looks + 10)
    stopping.abort(new Error('enough'))
    await waiting
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('is a rejection that says which step failed and what its agent reported', async () => {
    const job = await client.submit(aWorkflow({ pay: [] }), {}, { jobId: 'j' })
    const step = await world.step('pay', 'j')
    const diagnostics = [{ at: '', by: 'agents-1', attempt: 1, message: 'busy' }]
    const attention = { kind: 'error' as const, since: '', by: 'x', message: 'step pay: busy', stepId: 'pay' }
    const document = await world.job('j')
    await world.put('j', [
      replacing(document, { ...document, attention, processState: 'Error' }),
      replacing(step, { ...step, diagnostics }),
    ])
    await world.clock.advance(10)
    const failure: unknown = await job.result().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(JobFailed)
    expect(failure).toMatchObject({
      jobId: 'j',
      state: 'Error',
      step: 'pay',
      attention,
      diagnostics,
      message: 'job "j" ended Error: step pay: busy',
    })
  })

  it('is a rejection that names no step when none is to blame', async () => {
    const job = await client.submit(aWorkflow({ pay: [] }), {}, { jobId: 'j' })
    const attention = { kind: 'corrupt' as const, since: '', by: 'x', message: 'edited', stepId: null }
    const document = await world.job('j')
    await world.put('j', [replacing(document, { ...document, attention, processState: 'Error' })])
    await world.clock.advance(10)
    const failure: unknown = await job.result().catch((error: unknown) => error)
    expect(failure).toMatchObject({ step: null, error: 'edited', message: 'job "j" ended Error: edited' })
    expect(new JobFailed(aJob({ jobId: 'j', processState: 'Error' }), [])).toMatchObject({
      step: null,
      message: 'job "j" ended Error: no reason recorded',
    })
  })

  it('is a rejection when the job no longer exists', async () => {
    const job = await client.submit(aWorkflow(), {}, { jobId: 'j' })
    const document = await world.job('j')
    await world.put('j', [replacing(document, { ...document, ttl: 1 })])
    await world.clock.advance(5_000)
    await expect(job.result()).rejects.toThrow(new JobNotFound('j'))
    await expect(job.view()).rejects.toThrow('there is no job "j"')
  })
})

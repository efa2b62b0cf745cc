import { beforeEach, describe, expect, it } from 'vitest'
import { readAudit } from '../../../src/operations/index.js'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { gateAddress } from '../../../src/sas/gates/home.js'
import { readGate } from '../../../src/sas/gates/stored-gate.js'
import { limitDecisionsId } from '../../../src/sas/model/document-ids.js'
import type { StepDocument } from '../../../src/sas/model/documents.js'
import { StoreUnavailable } from '../../../src/sas/model/errors.js'
import type { GateDocument } from '../../../src/sas/model/gate-documents.js'
import { schemaOf } from '../../../src/sas/plan/plan-schema.js'
import {
  condition,
  defineAgent,
  defineWorkflow,
  type Limit,
  type Reference,
  type StepOptions,
} from '../../../src/sas/index.js'
import { shop } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'

interface Order {
  readonly tenant: string
  readonly lines: readonly string[]
}

/** A workflow of one step with limits. */
const limited = (limits: (input: Reference<Order>) => readonly Limit[], more: StepOptions = {}) =>
  defineWorkflow<Order>('shopping', (job) => {
    const options = { completeWithin: '1m', ...more, limits: limits(job.input), undo: 'none' } as const
    job.step('pay', shop.sell, { item: 'pay' }, options)
  })

let world: StateWorld
let client: JobClient
let scheduler: ReturnType<StateWorld['scheduler']>
let agents: ReturnType<StateWorld['agents']>

beforeEach(() => {
  world = new StateWorld()
  const { store, queries, clock, telemetry } = world
  client = new JobClient({ store, queries, clock, telemetry })
  scheduler = world.scheduler()
  agents = world.agents()
})

async function submitted(workflow: ReturnType<typeof limited>, jobIds: readonly string[], tenant = 'acme') {
  for (const jobId of jobIds) await client.submit(workflow, { tenant, lines: [] }, { jobId })
  await schedule()
}

async function gate(key = 'bank'): Promise<GateDocument> {
  const found = await readGate(world.truth, gateAddress(key))
  if (found === null) throw new Error(`there is no gate ${key}`)
  return found
}

/** Returns what people see of the step of a job. */
async function shown(jobId: string) {
  return (await (await client.get(jobId))?.view())?.steps[0]
}

/** Delivers the changes to the scheduler until it has nothing to do. */
async function schedule(context?: Parameters<typeof scheduler.onChanges>[1]): Promise<void> {
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    await scheduler.onChanges(page, context)
    await world.clock.advance(0)
  }
}

/** Lets agents make the attempts that are dispatched, and the scheduler decide what follows. */
async function work(...jobIds: readonly string[]): Promise<void> {
  const steps = await Promise.all(jobIds.map((jobId) => world.step('pay', jobId)))
  const context = { leaseToken: '0', signal: new AbortController().signal }
  await agents.onChanges(
    steps.map((step) => ({ ...step, _lsn: 1 })),
    context,
  )
  await world.clock.advance(1)
  await schedule()
}

async function states(...jobIds: readonly string[]): Promise<string[]> {
  return Promise.all(jobIds.map(async (id) => (await world.step('pay', id)).processState))
}

const insideOf = ({ holders }: GateDocument): string[] => holders.map(({ jobId }) => jobId)

describe('steps with a limit of steps at once', () => {
  const two = limited(() => [{ key: 'bank', atOnce: 2 }])
  const one = limited(() => [{ key: 'bank', atOnce: 1 }])

  it('wait without an attempt while the limit is reached, and begin when another is done', async () => {
    await submitted(two, ['a', 'b', 'c'])
    expect(await states('a', 'b', 'c')).toEqual(['Processing', 'Processing', 'Pending'])
    const waiting = await world.step('pay', 'c')
    expect(waiting).toMatchObject({ lockedBy: null, failureCount: 0, place: { waitsFor: 'bank' } })
    await work('a', 'b')
    expect(await states('a', 'b', 'c')).toEqual(['Processed', 'Processed', 'Processing'])
    await work('c')
    expect((await world.job('c')).processState).toBe('Processed')
    await world.clock.advance(1_000)
    expect(insideOf(await gate())).toEqual([])
  })

  it('cost two requests for a step that has room', async () => {
    const count = () => world.faults.count('apply') + world.faults.count('read')
    const plain = defineWorkflow<Order>('plain', (job) => {
      job.step('pay', shop.sell, { item: 'pay' }, { undo: 'none' })
    })
    for (const jobId of ['x', 'y']) {
      await submitted(two, [jobId])
      await work(jobId)
      await world.clock.advance(1_000)
    }
    const before = count()
    await submitted(two, ['a'])
    await work('a')
    await world.clock.advance(1_000)
    const withLimit = count() - before
    await submitted(plain, ['b'])
    await work('b')
    const without = count() - before - withLimit
    expect(withLimit - without).toBe(2)
  })

  it('say for which limit they wait', async () => {
    await submitted(one, ['a', 'b'])
    const job = await client.get('b')
    const { why } = (await job?.view()) ?? {}
    expect(why).toMatch(/^Step pay waits for room in limit "bank" since 2026-.*stepward limits/)
  })

  it('take turns between groups', async () => {
    const fair = limited(({ tenant }) => [{ key: 'bank', atOnce: 1, fairBy: tenant }])
    await submitted(fair, ['first'])
    await submitted(fair, ['x1', 'x2', 'x3'], 'x')
    await submitted(fair, ['y1'], 'y')
    const order: string[] = []
    for (let [next] = insideOf(await gate()); next !== undefined; [next] = insideOf(await gate())) {
      order.push(next)
      await work(next)
    }
    expect(order).toEqual(['first', 'x1', 'y1', 'x2', 'x3'])
  })

  it('have a limit for each value of a key', async () => {
    const each = limited(({ tenant }) => [{ key: tenant, atOnce: 1 }])
    await submitted(each, ['x1', 'x2'], 'x')
    await submitted(each, ['y1'], 'y')
    expect(await states('x1', 'x2', 'y1')).toEqual(['Processing', 'Pending', 'Processing'])
  })

  it('leave the queue when their job is cancelled (F-G5)', async () => {
    await submitted(one, ['a', 'b', 'c'])
    await client.cancel('b', 'not wanted')
    await schedule()
    await work('a')
    expect(await states('c')).toEqual(['Processing'])
    expect(insideOf(await gate())).toEqual(['c'])
  })

  it('let the next one begin at once if their job is paused while they wait', async () => {
    const context = { leaseToken: '0', signal: new AbortController().signal }
    for (const jobId of ['a', 'b', 'c']) await client.submit(one, { tenant: 'acme', lines: [] }, { jobId })
    await schedule(context)
    await client.pause('b', 'stock-taking')
    await schedule(context)
    await work('a')
    expect(await states('b', 'c')).toEqual(['Pending', 'Processing'])
    expect(insideOf(await gate())).toEqual(['c'])
  })

  it('begin when an operator raises the limit, and keep it for new jobs (F-G6)', async () => {
    await submitted(one, ['a', 'b', 'c'])
    const before = world.faults.count('apply')
    const set = await client.limits.set('bank', { atOnce: 3 }, { by: 'ann', why: 'the bank is fast' })
    // Both waiters are called by then, because the process of the operator may end now.
    expect(world.faults.count('apply') - before).toBe(3)
    expect(set).toMatchObject({ atOnce: 3, set: { by: 'ann', why: 'the bank is fast' }, waiting: 0 })
    await world.clock.advance(1)
    await schedule()
    expect(await states('a', 'b', 'c')).toEqual(['Processing', 'Processing', 'Processing'])
    await submitted(one, ['d'])
    expect(await states('d')).toEqual(['Pending'])
    expect(await client.limits.clear('bank')).toMatchObject({ atOnce: 1, set: null, waiting: 1 })
  })

  it('keep the decisions of operators apart from the document that every step writes', async () => {
    await submitted(one, ['a'])
    const size = JSON.stringify(await gate()).length
    await client.limits.set('bank', { atOnce: 3, perSecond: 2 }, { by: 'ann', why: 'the bank is fast' })
    await world.clock.advance(60_000)
    await client.limits.clear('bank', { by: 'bob', why: 'over' })
    await world.clock.advance(60_000)
    await client.pause({ agent: 'shop' }, 'the shop is closed', { by: 'cid' })
    const { rows, next } = await readAudit(world.queries, { beforeMs: null, limit: 9 })
    expect(next).toBeNull()
    expect(rows.map(({ about, id, command, by, why }) => [about, id, command, by, why])).toEqual([
      ['agent', 'shop', 'pause', 'cid', 'the shop is closed'],
      ['limit', 'bank', 'clear', 'bob', 'over'],
      ['limit', 'bank', 'set atOnce 3, perSecond 2', 'ann', 'the bank is fast'],
    ])
    expect(JSON.stringify(await gate()).length).toBeLessThan(size + 20)
  })

  it('keep one decision if the answer of the store was lost', async () => {
    await submitted(one, ['a'])
    world.faults.failWrites({ kind: 'unknownOutcome', truth: 'applied' })
    await client.limits.set('bank', { atOnce: 3 }, { by: 'ann', why: 'fast' })
    const stored = await world.truth.read({ pk: gateAddress('bank').pk, id: limitDecisionsId })
    expect(stored?.['audit']).toMatchObject([{ command: 'set', atOnce: 3, by: 'ann', why: 'fast' }])
  })

  it('keep each of several decisions that operators make at the same time', async () => {
    await submitted(one, ['a'])
    const by = ['ann', 'bob', 'cid']
    await Promise.all(by.map((name) => client.limits.set('bank', { atOnce: 3 }, { by: name })))
    const stored = await world.truth.read({ pk: gateAddress('bank').pk, id: limitDecisionsId })
    expect(stored?.['audit']).toMatchObject(by.map((name) => ({ command: 'set', by: name })))
  })

  it('do not begin while an operator pauses their key, and begin when it is resumed', async () => {
    await submitted(two, ['a'])
    await client.limits.set('bank', { atOnce: 0 }, { by: 'ann', why: 'down' })
    await submitted(two, ['b', 'c', 'd'])
    await work('a')
    expect(await states('a', 'b', 'c', 'd')).toEqual(['Processed', 'Pending', 'Pending', 'Pending'])
    await client.limits.clear('bank')
    await world.clock.advance(1)
    await schedule()
    expect(await states('b', 'c', 'd')).toEqual(['Processing', 'Processing', 'Pending'])
  })

  it('have the limit of an operator again after a pause of their key', async () => {
    await submitted(two, ['a'])
    const { limits } = client
    await limits.set('bank', { atOnce: 7, perSecond: 5 }, { by: 'ann', why: 'slow' })
    expect(await limits.pause('bank', { by: 'bob', why: 'down' })).toMatchObject({
      atOnce: 0,
      set: { by: 'bob', why: 'down' },
    })
    await expect(limits.pause('bank')).rejects.toThrow('limit "bank" was paused by bob at')
    await expect(limits.set('bank', { atOnce: 5 })).rejects.toThrow('resume it first, and then set it')
    expect(await limits.listPaused()).toMatchObject([{ kind: 'key', name: 'bank', by: 'bob', why: 'down' }])
    const ofAnn = { atOnce: 7, perSecond: 5, set: { by: 'ann', why: 'slow' } }
    expect(await limits.resume('bank')).toMatchObject(ofAnn)
    await expect(limits.resume('bank')).rejects.toThrow('limit "bank" is not paused')
    expect(await limits.get('bank')).toMatchObject(ofAnn)
    expect(await limits.listPaused()).toEqual([])
    await limits.pause('bank')
    expect(await limits.clear('bank')).toMatchObject({ atOnce: 2, set: null })
  })

  it('may be paused by key before the first of them comes, and no other command makes a limit', async () => {
    const unknown = 'no step or job has come to limit "bank" today, and no operator has set it'
    await expect(client.limits.clear('bank')).rejects.toThrow(unknown)
    await expect(client.limits.resume('bank')).rejects.toThrow(unknown)
    expect(await client.limits.list()).toEqual([])
    await client.limits.pause('bank')
    await submitted(two, ['a'])
    expect(await states('a')).toEqual(['Pending'])
    await client.limits.resume('bank')
    await world.clock.advance(1)
    await schedule()
    expect(await states('a')).toEqual(['Processing'])
  })

  it('are listed with the steps at work and the groups that wait', async () => {
    const fair = limited(({ tenant }) => [{ key: 'bank', atOnce: 1, fairBy: tenant }])
    await submitted(fair, ['a', 'b', 'c'], 'x')
    expect(await client.limits.list()).toEqual([
      {
        key: 'bank',
        atOnce: 1,
        perSecond: null,
        burst: null,
        set: null,
        isPaused: false,
        inside: [{ jobId: 'a', stepId: 'pay' }],
        waiting: 2,
        groups: [{ group: 'x', waiting: 2 }],
      },
    ])
    expect(await client.limits.get('unknown')).toBeNull()
  })

  it('are not listed after an operator has set and cleared them before their first use', async () => {
    await client.limits.set('bank', { atOnce: 3 })
    expect(await client.limits.list()).toHaveLength(1)
    await client.limits.clear('bank')
    expect(await client.limits.list()).toEqual([])
    expect(await client.limits.get('bank')).toBeNull()
    await submitted(two, ['a'])
    expect(await client.limits.list()).toMatchObject([{ key: 'bank', atOnce: 2, set: null }])
  })

  it('refuse numbers that are not allowed', async () => {
    await expect(client.limits.set('bank', {})).rejects.toThrow('a limit needs atOnce or perSecond')
    await expect(client.limits.set('bank', { atOnce: -1 })).rejects.toThrow('atOnce')
    await expect(client.limits.set('', { atOnce: 1 })).rejects.toThrow('the key of a limit')
    await expect(client.limits.set('jobs:', { atOnce: 1 })).rejects.toThrow(
      'is "jobs:"; it must be a text of 1 to 200 characters, with something after jobs:',
    )
    expect(await client.limits.list()).toEqual([])
  })

  it('are refused for an operator to see if the key is no text', async () => {
    const strange = limited(({ tenant }) => [{ key: tenant, atOnce: 1 }])
    await client.submit(strange, { tenant: ['x'] } as never, { jobId: 'a' })
    await schedule()
    const { attention } = await world.job('a')
    expect(attention?.message).toContain(
      'the key of a limit must be a text of 1 to 200 characters, and it is ["x"]',
    )
  })

  it('keep their place between two attempts, and free it for an operator', async () => {
    await submitted(
      limited(() => [{ key: 'bank', atOnce: 1 }], { onExhausted: 'park', retry: { tries: 1 } }),
      ['a', 'b'],
    )
    const supervisor = world.supervisor()
    await world.clock.advance(63_000)
    await supervisor.runOnce()
    await world.clock.advance(1)
    await schedule()
    expect((await world.step('pay', 'a')).attention?.kind).toBe('parked')
    expect(insideOf(await gate())).toEqual(['b'])
    await client.release('a')
    await schedule()
    expect((await world.step('pay', 'a')).place?.waitsFor).toBe('bank')
    await work('b')
    await work('a')
    expect((await world.job('a')).processState).toBe('Processed')
  })
})

describe('a step that leaves a limit with room', () => {
  const two = limited(() => [{ key: 'bank', atOnce: 2 }])

  it('leaves with the next one that comes', async () => {
    await submitted(two, ['a'])
    await work('a')
    expect(insideOf(await gate())).toEqual(['a'])
    const writes = world.faults.count('apply')
    await submitted(two, ['b'])
    expect(insideOf(await gate())).toEqual(['b'])
    // The submission goes through the same store. The gate and the job take a write each.
    expect(world.faults.count('apply') - writes).toBe(3)
  })

  it('leaves after a second if no other comes', async () => {
    await submitted(two, ['a'])
    await work('a')
    await world.clock.advance(900)
    expect(insideOf(await gate())).toEqual(['a'])
    await world.clock.advance(100)
    expect(insideOf(await gate())).toEqual([])
  })

  it('leaves a second later if the store does not answer at first (F-G10)', async () => {
    await submitted(two, ['a', 'b'])
    await work('a', 'b')
    const error = new StoreUnavailable('the store does not answer', { cause: null })
    world.faults.failWrites({ kind: 'throws', error })
    await world.clock.advance(1_000)
    expect(insideOf(await gate())).toEqual(['b'])
    await world.clock.advance(2_000)
    expect(insideOf(await gate())).toEqual([])
  })

  it('does not take the place of a later job with the same id', async () => {
    const options = { jobId: 'a', retainFor: '1s' }
    await world.clock.advance(500)
    await client.submit(two, { tenant: 'acme', lines: [] }, options)
    await schedule()
    // The store does not write the gate until the first job has expired.
    world.store.apply = (pk, writes) => {
      if (pk !== gateAddress('bank').pk) return world.truth.apply(pk, writes)
      return Promise.reject(new StoreUnavailable('the store does not answer', { cause: null }))
    }
    await work('a')
    await world.clock.advance(1_600)
    world.store.apply = (pk, writes) => world.truth.apply(pk, writes)
    await client.submit(two, { tenant: 'acme', lines: [] }, options)
    await world.scheduler('scheduler-2').onChanges(await world.changes())
    expect(await states('a')).toEqual(['Processing'])
    await world.clock.advance(20_000)
    expect(insideOf(await gate())).toEqual(['a'])
  })

  it('leaves before its process stops', async () => {
    await submitted(two, ['a', 'b'])
    await work('a')
    await work('b')
    await scheduler.gates.stop()
    expect(insideOf(await gate())).toEqual([])
  })

  it('leaves at once if an operator may let it return', async () => {
    const park = limited(() => [{ key: 'bank', atOnce: 2 }], { onExhausted: 'park', retry: { tries: 1 } })
    await submitted(park, ['a'])
    await world.clock.advance(63_000)
    await world.supervisor().runOnce()
    await schedule()
    expect(insideOf(await gate())).toEqual([])
  })

  it('holds up a step of another process for a second at most', async () => {
    await submitted(two, ['a'])
    await work('a')
    const other = world.scheduler('scheduler-2')
    for (const jobId of ['b', 'c']) await client.submit(two, { tenant: 'acme', lines: [] }, { jobId })
    await other.onChanges(await world.changes())
    expect(await states('b', 'c')).toEqual(['Processing', 'Pending'])
    await world.clock.advance(1_000)
    expect(insideOf(await gate())).toEqual(['b', 'c'])
  })

  it.each([
    ['', false],
    [', and the job is deleted', true],
  ])('is found by the supervisor if its process dies before that%s (F-G9)', async (_what, isDeleted) => {
    await submitted(two, ['a'])
    await work('a')
    world.store.apply = () => Promise.reject(new StoreUnavailable('the process is dead', { cause: null }))
    await world.clock.advance(60_000)
    world.store.apply = (pk, writes) => world.truth.apply(pk, writes)
    if (isDeleted) {
      const { _etag, _ts, ...step } = await world.step('pay', 'a')
      await world.put(step.pk, [{ kind: 'replace', document: { ...step, ttl: 1 }, ifMatch: _etag }])
    }
    await submitted(two, ['b', 'c'])
    expect(await states('b', 'c')).toEqual(['Processing', 'Pending'])
    await world.clock.advance(63_000)
    await world.supervisor().runOnce()
    await world.clock.advance(1)
    expect(insideOf(await gate())).toEqual(['b', 'c'])
  })
})

describe('a gate whose steps end in silence', () => {
  const one = limited(() => [{ key: 'bank', atOnce: 1 }])

  it('is freed by the supervisor if the process died before it left the gate', async () => {
    await submitted(one, ['a'])
    const held = await gate()
    await work('a')
    // The write that frees the place is lost with its process.
    const now = await gate()
    const { _etag } = now as unknown as { _etag: string }
    await world.put(held.pk, [{ kind: 'replace', document: { ...held }, ifMatch: _etag }])
    await submitted(one, ['b'])
    expect(await states('b')).toEqual(['Pending'])
    await world.clock.advance(63_000)
    expect((await world.supervisor().runOnce()).lookedAt).toBeGreaterThan(0)
    await world.clock.advance(1)
    await schedule()
    expect(await states('b')).toEqual(['Processing'])
  })

  it('keeps a step that is at work for longer than one attempt', async () => {
    await submitted(
      limited(() => [{ key: 'bank', atOnce: 1 }], { retry: { tries: 9 } }),
      ['a', 'b'],
    )
    const supervisor = world.supervisor()
    for (let minutes = 0; minutes < 4; minutes += 1) {
      await world.clock.advance(63_000)
      await supervisor.runOnce()
      await world.clock.advance(1)
      await schedule()
    }
    expect((await world.step('pay', 'a')).failureCount).toBeGreaterThan(1)
    expect(insideOf(await gate())).toEqual(['a'])
    expect(await states('b')).toEqual(['Pending'])
  })

  it('calls a step again whose call was lost', async () => {
    await submitted(one, ['a', 'b'])
    const waiting = await world.step('pay', 'b')
    await work('a')
    const called = await world.step('pay', 'b')
    const { _etag, _ts, ...document } = { ...waiting, dispatch: called.dispatch, fence: called.fence + 1 }
    const job = await world.job('b')
    await world.put('b', [{ kind: 'replace', document, ifMatch: called._etag }])
    expect(job.processState).toBe('Processing')
    await world.clock.advance(33_000)
    await world.supervisor().runOnce()
    expect((await world.step('pay', 'b')).notBeforeMs).toBeNull()
  })

  it.each([
    ['before it came to the limit', ({ place: _place, ...step }: StepDocument) => step],
    ['that was offered', (step: StepDocument) => ({ ...step, notBeforeMs: null })],
    [
      'that waits at an earlier limit',
      (step: StepDocument) => ({
        ...step,
        place: {
          ...step.place,
          waitsFor: 'account',
          gates: [{ key: 'account', group: '' }, ...(step.place?.gates ?? [])],
        },
      }),
    ],
  ])('calls a step again, although the first check reads a version of it %s', async (_what, old) => {
    await submitted(one, ['a', 'b'])
    const waiting = await world.step('pay', 'b')
    await work('a')
    const called = await world.step('pay', 'b')
    const { _etag, _ts, ...lost } = { ...waiting, dispatch: called.dispatch, fence: called.fence + 1 }
    await world.put('b', [{ kind: 'replace', document: lost, ifMatch: called._etag }])
    const version = old({ ...lost, dispatch: lost.place?.entry ?? 0 })
    const supervisor = world.supervisor()
    world.store.read = async (address) => {
      const document = await world.truth.read(address)
      return document?.id === lost.id ? { ...version, _etag: document._etag, _ts: document._ts } : document
    }
    await world.clock.advance(33_000)
    await supervisor.runOnce()
    expect((await world.step('pay', 'b')).notBeforeMs).not.toBeNull()
    world.store.read = (address) => world.truth.read(address)
    await world.clock.advance(63_000)
    await supervisor.runOnce()
    expect((await world.step('pay', 'b')).notBeforeMs).toBeNull()
  })

  it('frees the places of the steps that are gone, although one of the others cannot be read', async () => {
    const two = limited(() => [{ key: 'bank', atOnce: 2 }])
    await submitted(two, ['a', 'b'])
    const held = await gate()
    await work('a', 'b')
    await world.clock.advance(1_000)
    const { _etag } = (await gate()) as unknown as { _etag: string }
    await world.put(held.pk, [{ kind: 'replace', document: { ...held }, ifMatch: _etag }])
    await submitted(two, ['c'])
    const { id } = await world.step('pay', 'a')
    const error = new StoreUnavailable('the store is busy', { cause: null })
    world.store.read = (address) => (address.id === id ? Promise.reject(error) : world.truth.read(address))
    await world.clock.advance(63_000)
    await expect(world.supervisor().runOnce()).rejects.toThrow(error)
    await world.clock.advance(1)
    expect(insideOf(await gate())).toEqual(['a', 'c'])
  })
})

describe('steps with a limit of attempts in a second', () => {
  it('begin at the times that the rate allows', async () => {
    await submitted(
      limited(() => [{ key: 'bank', perSecond: 1, burst: 1 }]),
      ['a', 'b', 'c'],
    )
    const times = await Promise.all(
      ['a', 'b', 'c'].map(async (id) => (await world.step('pay', id)).notBeforeMs),
    )
    const now = world.clock.now()
    expect(times).toEqual([null, now + 1_000, now + 2_000])
    await world.clock.advance(3_500)
    await world.supervisor().runOnce()
    await schedule()
    expect(await states('b', 'c')).toEqual(['Processing', 'Pending'])
    const { busyUntilMs } = await gate()
    expect(busyUntilMs).toBe(now + 3_000)
  })
})

describe('the definition of a limit', () => {
  const problemsOf = (limit: object): string => {
    try {
      limited(() => [limit as Limit])
      return ''
    } catch (error) {
      return String(error)
    }
  }

  it.each([
    [{ key: 'bank' }, 'a limit needs atOnce or perSecond'],
    [{ key: 'bank', atOnce: 0 }, 'it must be a whole number from 1 to 1000'],
    [{ key: 'bank', atOnce: 1_001 }, 'it must be a whole number from 1 to 1000'],
    [{ key: 'bank', burst: 5, atOnce: 1 }, 'burst needs perSecond'],
    [{ key: 'bank', perSecond: '20' }, 'it must be a number from 0.0001 to 10,000'],
    [{ key: '', atOnce: 1 }, 'it must be a text of 1 to 200 characters, or a reference'],
    [{ atOnce: 1 }, 'key'],
    [{ key: 'bank', concurrency: 5 }, 'atOnce: 5'],
  ])('is refused if it is wrong: %j', (limit, problem) => {
    expect(problemsOf(limit)).toContain(problem)
  })

  it('makes a job that older schedulers leave alone', () => {
    expect(schemaOf(limited(() => [{ key: 'bank', atOnce: 1 }]).plan)).toBe(2)
  })

  it('may use the output of an earlier step, which then comes first', () => {
    const workflow = defineWorkflow('two', (job) => {
      const found = job.step('find', shop.sell, { item: 'x' }, { undo: 'none' })
      job.step(
        'pay',
        shop.sell,
        { item: 'y' },
        { undo: 'none', limits: [{ key: found.output.item, atOnce: 1 }] },
      )
    })
    expect(workflow.plan.steps[1]?.dependsOn).toEqual(['find'])
  })
})

describe('steps with a limit in a paused job', () => {
  const one = limited(() => [{ key: 'bank', atOnce: 1 }])

  it('give back the place in the queue, and come to the limit again when the job is resumed', async () => {
    await submitted(one, ['a', 'b', 'c'])
    await client.pause('b', 'check the order')
    await schedule()
    await work('a')
    expect(insideOf(await gate())).toEqual(['c'])
    await work('c')
    expect(insideOf(await gate())).toEqual([])
    await client.resume('b')
    await schedule()
    expect(await states('b')).toEqual(['Processing'])
    await work('b')
    expect(await states('b')).toEqual(['Processed'])
  })

  it('give back the place inside when their attempt has failed', async () => {
    await submitted(one, ['a', 'b'])
    await client.pause('a', 'check the order')
    await schedule()
    const step = await world.step('pay', 'a')
    const ended = { lockedBy: null, failureCount: 1, outcome: null, processState: 'Pending' as const }
    const failed = { ...step, ...ended, notBeforeMs: step.completeByMs }
    await world.put('a', [{ kind: 'replace', document: failed, ifMatch: step._etag }])
    await schedule()
    expect(insideOf(await gate())).toEqual(['b'])
  })
})

describe('steps with several limits', () => {
  it('reserve no time of a rate while they wait for room at another limit', async () => {
    const both = limited(() => [
      { key: 'a-rate', perSecond: 1, burst: 10 },
      { key: 'bank', atOnce: 1 },
    ])
    await submitted(both, ['a', 'b', 'c'])
    expect(await states('a', 'b', 'c')).toEqual(['Processing', 'Pending', 'Pending'])
    const { busyUntilMs } = await gate('a-rate')
    expect(busyUntilMs - world.clock.now()).toBeLessThanOrEqual(1_000)
  })
})

describe('the limits of an operation', () => {
  const sell = (input: { readonly item: string; readonly tenant: string }) => ({ sold: input.item })
  const bankOf = (limits: object) => defineAgent('bank', { sell }, { limits })
  const limitsOf = (limits: object, own?: readonly Limit[]) => {
    const bank = bankOf(limits)
    const workflow = defineWorkflow<Order>('shopping', (job) => {
      const input = { item: 'x', tenant: job.input.tenant }
      job.step('pay', bank.sell, input, { undo: (output) => bank.sell({ item: output.sold, tenant: 'y' }) })
      job.step('pay-again', bank.sell, input, { undo: 'none', ...(own && { limits: own }) })
      job.repeat('poll', bank.sell, input, { undo: 'none', until: ({ sold }) => condition.equal(sold, 'x') })
      const lines = job.input.lines
      job.forEach('each', lines, (item) => bank.sell({ item, tenant: 'z' }), { undo: 'none', atMost: 1 })
    })
    return Object.fromEntries(workflow.plan.steps.map(({ id, limits: stored }) => [id, stored]))
  }

  it('apply to every step that calls it', () => {
    const bank = [{ key: 'bank', atOnce: 20 }]
    const { each, ...operations } = limitsOf({ sell: bank })
    expect(operations).toEqual({ pay: bank, 'pay-again': bank, poll: bank, 'each-0': bank })
    expect(each).toBeUndefined()
  })

  it('may be made from the input of the call', () => {
    const found = limitsOf({ sell: (input: Reference<Order>) => [{ key: input.tenant, perSecond: 2 }] })
    expect(found['pay']).toEqual([{ key: { $from: ['input', 'tenant'] }, perSecond: 2 }])
    expect(found['each-0']).toEqual([{ key: 'z', perSecond: 2 }])
  })

  it("come after the step's own limits, so that those count for the same key", async () => {
    const both = limitsOf({ sell: [{ key: 'bank', atOnce: 20 }] }, [{ key: 'bank', atOnce: 1 }])
    expect(both['pay-again']).toEqual([
      { key: 'bank', atOnce: 1 },
      { key: 'bank', atOnce: 20 },
    ])
    const workflow = defineWorkflow<Order>('shopping', (job) => {
      const limits = [{ key: 'bank', atOnce: 1 }]
      job.step(
        'pay',
        bankOf({ sell: [{ key: 'bank', atOnce: 20 }] }).sell,
        { item: 'x', tenant: 'y' },
        {
          undo: 'none',
          limits,
        },
      )
    })
    await submitted(workflow, ['a', 'b'])
    expect(await states('a', 'b')).toEqual(['Processing', 'Pending'])
    expect(await client.limits.get('bank')).toMatchObject({ atOnce: 1, waiting: 1 })
  })

  it.each([
    [{ sel: [{ key: 'bank', atOnce: 1 }] }, 'limits: there is no operation "sel"'],
    [{ sell: [{ key: 'bank' }] }, 'operation "sell": limits: a limit needs atOnce or perSecond'],
    [{ sell: 5 }, 'operation "sell": limits must be a list of 1 to 5 limits'],
    [5, 'it must be an object with a list of limits for an operation'],
  ])('are refused if they are wrong: %j', (limits, problem) => {
    expect(() => bankOf(limits as object)).toThrow(problem)
  })

  it('are refused in the workflow if a function returns something else', () => {
    expect(() => limitsOf({ sell: () => 5 })).toThrow('limits must be a list of 1 to 5 limits')
  })
})

it('a step that waits at a limit shows no deadline and no attempt', async () => {
  await submitted(
    limited(() => [{ key: 'bank', atOnce: 1 }]),
    ['j1', 'j2'],
  )
  expect(await shown('j1')).toMatchObject({ attempt: 1, completeBy: expect.any(String) as string })
  expect((await world.step('pay', 'j2')).completeBy, 'the next look at the gate').not.toBeNull()
  expect(await shown('j2')).toMatchObject({ attempt: 0, completeBy: null, notBefore: null })
})

it('a step that waits by a rate shows when it begins, and no deadline', async () => {
  await submitted(
    limited(() => [{ key: 'bank', perSecond: 1 }]),
    ['j1', 'j2', 'j3'],
  )
  const steps = await Promise.all(['j1', 'j2', 'j3'].map((jobId) => world.step('pay', jobId)))
  const late = steps.find(({ place }) => place?.since !== null)
  const reservedMs = late?.place?.reservedMs ?? 0
  expect(await shown(late?.jobId ?? '')).toMatchObject({
    attempt: 0,
    completeBy: null,
    notBefore: new Date(reservedMs).toISOString(),
  })
})

import { beforeEach, describe, expect, it } from 'vitest'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { Gatekeeper } from '../../../src/sas/gates/gatekeeper.js'
import { gateAddress } from '../../../src/sas/gates/home.js'
import { readGate } from '../../../src/sas/gates/stored-gate.js'
import { schemaOf } from '../../../src/sas/plan/plan-schema.js'
import { condition, defineWorkflow, type JobLimit, type Reference } from '../../../src/sas/index.js'
import { shop } from '../../support/a-job.js'
import { intercepted } from '../../support/intercepted.js'
import { StateWorld } from '../../support/state-world.js'

interface Order {
  readonly tenant: string
}

/** A workflow of two steps, one after the other, whose jobs share limits. */
const limited = (limits: (input: Reference<Order>) => readonly JobLimit[], compensates = false) =>
  defineWorkflow<Order>('shopping', (job) => {
    job.limits(limits(job.input))
    const pay = job.step('pay', shop.sell, { item: 'pay' }, { undo: 'none', retry: { tries: 1 } })
    job.step('send', shop.sell, { item: 'send' }, { undo: 'none', after: [pay], retry: { tries: 1 } })
    if (compensates) job.onExhausted('compensate')
  })

const one = limited(({ tenant }) => [{ key: tenant, atOnce: 1 }])

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

async function submitted(
  workflow: ReturnType<typeof limited>,
  jobIds: readonly string[],
  options: { readonly tenant?: string; readonly priority?: number } = {},
): Promise<void> {
  const { tenant = 'acme', ...more } = options
  for (const jobId of jobIds) await client.submit(workflow, { tenant }, { jobId, ...more })
  await schedule()
}

/** Delivers the changes to the scheduler until it has nothing to do. */
async function schedule(by = scheduler): Promise<void> {
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    await by.onChanges(page)
    await world.clock.advance(0)
  }
}

async function work(jobId: string, ...stepIds: readonly string[]): Promise<void> {
  const context = { leaseToken: '0', signal: new AbortController().signal }
  for (const stepId of stepIds) {
    await agents.onChanges([{ ...(await world.step(stepId, jobId)), _lsn: 1 }], context)
    await world.clock.advance(1)
    await schedule()
  }
}

const stateOf = async (jobId: string) => (await world.step('pay', jobId)).processState
const insideOf = async (key = 'jobs:acme') =>
  ((await readGate(world.truth, gateAddress(key)))?.holders ?? []).map(({ jobId }) => jobId)

async function lookAgain(afterMs: number): Promise<void> {
  await world.clock.advance(afterMs)
  await world.supervisor().runOnce()
  await world.clock.advance(1)
  await schedule()
}

describe('jobs with a limit', () => {
  it('run one after another, from the first step to the end, in the order of arrival (I40)', async () => {
    await submitted(one, ['a', 'b', 'c'])
    await submitted(one, ['other'], { tenant: 'else' })
    expect(await Promise.all(['a', 'b', 'c', 'other'].map(stateOf))).toEqual([
      'Processing',
      'Pending',
      'Pending',
      'Processing',
    ])
    expect((await world.step('pay', 'b')).dispatch).toBe(0)
    const waiting = await client.list({ waitingFor: 'limit' })
    expect(waiting.map(({ jobId }) => jobId).sort()).toEqual(['b', 'c'])
    await work('a', 'pay')
    expect(await insideOf()).toEqual(['a'])
    await work('a', 'send')
    expect((await world.job('a')).processState).toBe('Processed')
    expect(await insideOf()).toEqual(['b'])
    await work('b', 'pay', 'send')
    await work('c', 'pay', 'send')
    expect((await world.job('c')).processState).toBe('Processed')
    expect(await insideOf()).toEqual([])
  })

  it('cost two requests for a job that has room', async () => {
    const plain = defineWorkflow<Order>('plain', (job) => {
      const pay = job.step('pay', shop.sell, { item: 'pay' }, { undo: 'none' })
      job.step('send', shop.sell, { item: 'send' }, { undo: 'none', after: [pay] })
    })
    const requests = async (workflow: typeof plain, jobId: string) => {
      const count = () => world.faults.count('apply') + world.faults.count('read')
      const before = count()
      await submitted(workflow, [jobId])
      await work(jobId, 'pay', 'send')
      return count() - before
    }
    await requests(one, 'x')
    await requests(one, 'y')
    expect((await requests(one, 'a')) - (await requests(plain, 'b'))).toBe(2)
  })

  it('begin by priority among those that wait', async () => {
    await submitted(one, ['a', 'b'])
    await submitted(one, ['urgent'], { priority: 9 })
    expect((await world.job('urgent')).place?.turn).toMatchObject({ priority: 9 })
    await work('a', 'pay', 'send')
    expect(await insideOf()).toEqual(['urgent'])
    await work('urgent', 'pay', 'send')
    expect(await insideOf()).toEqual(['b'])
  })

  it('say for which limit they wait, and are listed', async () => {
    await submitted(one, ['a', 'b'])
    const view = await (await client.get('b'))?.view()
    expect(view?.why).toMatch(
      /^The job waits for room in limit "jobs:acme" since 2026-.*: 1 of 1 places are taken, and no jobs are ahead of it; "stepward limits/,
    )
    expect(await client.limits.get('jobs:acme')).toMatchObject({
      atOnce: 1,
      inside: [{ jobId: 'a', stepId: '' }],
      waiting: 1,
    })
  })

  it('leave the queue when they are cancelled, and free the place when they end in error', async () => {
    await submitted(one, ['a', 'b', 'c'])
    await client.cancel('b', 'not wanted')
    await schedule()
    expect((await world.job('b')).processState).toBe('Compensated')
    await lookAgain(63_000)
    expect((await world.job('a')).processState).toBe('Error')
    expect(await insideOf()).toEqual(['c'])
    await client.resubmit('a', { by: 'ann', why: 'again' })
    await schedule()
    expect(await stateOf('c')).toBe('Processing')
    expect((await world.job('a')).place?.waitsFor).toBe('jobs:acme')
    await work('c', 'pay', 'send')
    await work('a', 'pay', 'send')
    expect((await world.job('a')).processState).toBe('Processed')
  })

  it('keep their place while they are paused, and wait in no queue', async () => {
    await submitted(one, ['a', 'b', 'c'])
    await client.pause('a', 'check')
    await client.pause('b', 'check')
    await schedule()
    expect(await insideOf()).toEqual(['a'])
    await client.resume('a')
    await schedule()
    await work('a', 'pay', 'send')
    expect(await insideOf()).toEqual(['c'])
    await client.resume('b')
    await schedule()
    await work('c', 'pay', 'send')
    await work('b', 'pay', 'send')
    expect((await world.job('b')).processState).toBe('Processed')
  })

  it('end in error if the key is not a text, or their own time has passed while they wait', async () => {
    await client.submit(one, { tenant: ['x'] } as never, { jobId: 'strange' })
    await schedule()
    expect((await world.job('strange')).attention?.message).toContain('the key of a limit must be a text')
    await submitted(one, ['a'])
    await client.submit(one, { tenant: 'acme' }, { jobId: 'late', completeWithin: '30s' })
    await schedule()
    await lookAgain(33_000)
    expect((await world.job('late')).attention?.message).toContain('was not done within 30000 ms')
  })

  it('are called again if the process dies between the entry and the call (F-G7)', async () => {
    await submitted(one, ['a', 'b'])
    const waiting = [await world.job('b'), await world.step('pay', 'b')]
    await work('a', 'pay', 'send')
    const called = [await world.job('b'), await world.step('pay', 'b')]
    const writes = waiting.map((was, index) => {
      const { _etag, _ts, ...document } = was
      return { kind: 'replace' as const, document, ifMatch: called[index]?._etag ?? '' }
    })
    await world.put('b', writes)
    scheduler = world.scheduler()
    await schedule()
    expect((await world.job('b')).place?.waitsFor).toBe('jobs:acme')
    await lookAgain(33_000)
    expect((await world.job('b')).place?.waitsFor).toBeNull()
  })

  it('lose a place that they did not free, when others wait (F-G8)', async () => {
    await submitted(one, ['a'])
    const address = gateAddress('jobs:acme')
    const held = await readGate(world.truth, address)
    await work('a', 'pay', 'send')
    const now = await readGate(world.truth, address)
    if (held === null || now === null) throw new Error('there is no gate')
    const { _etag, _ts, ...document } = held
    await world.put(held.pk, [{ kind: 'replace', document, ifMatch: now._etag }])
    await submitted(one, ['b'])
    expect(await stateOf('b')).toBe('Pending')
    await lookAgain(63_000)
    expect(await stateOf('b')).toBe('Processing')
  })

  it('free their place at once if they end with the write that lets them in', async () => {
    const skipped = defineWorkflow<Order>('skipped', (job) => {
      job.limits([{ key: job.input.tenant, atOnce: 1 }])
      const when = condition.startsWith(job.input.tenant, 'else')
      job.step('pay', shop.sell, { item: 'pay' }, { undo: 'none', when })
    })
    await submitted(skipped, ['a'])
    expect((await world.job('a')).processState).toBe('Processed')
    expect(await insideOf()).toEqual([])
  })

  it('keep the place that a scheduler has just found, when a supervisor takes them for lost', async () => {
    await client.submit(one, { tenant: 'acme' }, { jobId: 'a' })
    const { store, clock, telemetry } = world
    const address = gateAddress('jobs:acme')
    const come = async (jobId: string) => {
      const visitor = { pk: jobId, jobId, stepId: '', entry: 0 }
      const gate = { key: 'jobs:acme', group: '', atOnce: 1 }
      const more = {
        submittedAtMs: 0,
        priority: 0,
        withinMs: 60_000,
        turn: null,
        reservedMs: null,
        isLast: true,
      }
      return new Gatekeeper({ store, clock, telemetry }).arrive({ visitor, gate, ...more })
    }
    await come('a')
    await come('b')
    await clock.advance(63_000)
    await new Gatekeeper({ store, clock, telemetry }).check(address, 0)
    await clock.advance(63_000)
    // Another scheduler comes to the limit while the supervisor reads the job.
    const late = intercepted(store, 'read', [
      (forward, ...call) => forward(...call),
      async (forward, ...call) => {
        const found = await forward(...call)
        expect(await come('a')).toMatchObject({ kind: 'inside' })
        return found
      },
    ])
    await new Gatekeeper({ store: late, clock, telemetry }).check(address, 0)
    expect(await insideOf()).toEqual(['a'])
  })

  it('have no place at a limit that their plan no longer names', async () => {
    await submitted(one, ['a'])
    const { place, _etag, _ts, ...job } = await world.job('a')
    const gates = [{ key: 'jobs:other', group: '', atOnce: 1 }]
    const document = { ...job, ...(place && { place: { ...place, gates } }) }
    await world.put('a', [{ kind: 'replace', document, ifMatch: _etag }])
    await submitted(one, ['b'])
    await lookAgain(63_000)
    expect(await insideOf()).toEqual(['b'])
  })

  it('keep their place when another scheduler takes over a running job', async () => {
    await submitted(one, ['a', 'b'])
    const job = await world.job('a')
    const { _etag, _ts, ...document } = { ...job, lockedBy: null, fence: job.fence + 1 }
    await world.put('a', [
      { kind: 'replace', document: { ...document, processState: 'Pending' }, ifMatch: _etag },
    ])
    await schedule(world.scheduler())
    expect(await insideOf()).toEqual(['a'])
    expect(await world.job('a')).toMatchObject({ processState: 'Processing', place: { waitsFor: null } })
  })
})

describe('the limit of an operator for jobs', () => {
  it('has no rate, which would let in every job', async () => {
    await submitted(one, ['a', 'b'])
    await expect(client.limits.set('jobs:acme', { perSecond: 9 })).rejects.toThrow(
      'limit "jobs:acme" is one of jobs, so it has atOnce and no perSecond',
    )
    expect(await insideOf()).toEqual(['a'])
    await client.limits.set('jobs:acme', { atOnce: 2 })
    expect(await insideOf()).toEqual(['a', 'b'])
  })
})

describe('the definition of limits of jobs', () => {
  it('makes jobs that older schedulers leave alone', async () => {
    await submitted(one, ['a'])
    expect(schemaOf(one.plan)).toBe(4)
    // An older supervisor would look for a step, find none, and free the place.
    expect((await world.truth.read(gateAddress('jobs:acme')))?.['schema']).toBe(4)
  })

  it.each([
    [[{ key: 'bank', atOnce: 0 }], 'job.limits: limits: atOnce'],
    [[{ key: 'bank', perSecond: 2 }], 'a limit of jobs has atOnce and no perSecond'],
    [[], 'job.limits: limits must be a list of 1 to 5 limits'],
  ])('is refused if it is wrong: %j', (limits, problem) => {
    expect(() => limited(() => limits as never)).toThrow(problem)
  })

  it('is refused if a key is an output, or the workflow is a part of another one', () => {
    expect(() =>
      defineWorkflow('late', (job) => {
        const found = job.step('find', shop.sell, { item: 'x' }, { undo: 'none' })
        job.limits([{ key: found.output.item, atOnce: 1 }])
      }),
    ).toThrow('so refer to job.input only')
    expect(() => defineWorkflow<Order>('outer', (job) => void job.run('part', one, job.input))).toThrow(
      'it runs a workflow with job.limits',
    )
  })
})

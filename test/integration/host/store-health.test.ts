import { defineAgent, defineWorkflow, startHost, type Host } from 'stepward'
import { createInProcessCosmos, type FaultOptions, type InProcessCosmos } from 'stepward/emulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock, type Clock } from '../../../src/platform/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { correctedClock } from '../../support/corrected-clock.js'

const greeter = defineAgent('greeter', {
  greet: async (input: { name: string }) => ({ text: `hello ${input.name}` }),
})
const greeting = defineWorkflow<{ name: string }>('greeting', (job) => {
  job.step('greet', greeter.greet, { name: job.input.name }, { completeWithin: '30s' })
})

const timing = {
  leaseAcquireInterval: 200,
  leaseRenewInterval: 300,
  leaseExpirationInterval: 60_000,
  pollInterval: { min: 20, max: 100 },
}

interface World {
  readonly cosmos: InProcessCosmos
  readonly host: Host
  readonly heard: TelemetryRecorder
}

async function world(cosmos = createInProcessCosmos(), clock: Clock = systemClock): Promise<World> {
  const heard = new TelemetryRecorder()
  const client = cosmos.client({
    connectionPolicy: {
      retryOptions: { maxRetryAttemptCount: 0, fixedRetryIntervalInMilliseconds: 1, maxWaitTimeInSeconds: 1 },
    },
  })
  const host = await startHost({ client, agents: [greeter], timing, telemetry: heard, clock, port: 0 })
  onTestFinished(async () => {
    cosmos.faults.clear()
    await host.stop()
    await cosmos.close()
  })
  return { cosmos, host, heard }
}

const probe = async ({ host }: World, path: string): Promise<number> =>
  (await fetch(`http://127.0.0.1:${host.port ?? 0}${path}`)).status

describe('a host', () => {
  it.each<readonly [string, FaultOptions, RegExp]>([
    ['R165 the store is down', { status: 503 }, /does not answer/],
    ['R165 it throttles hard', { status: 429, retryAfter: 1 }, /throttles/],
    ['F-X14 the token has expired', { status: 401 }, /refuses the key or token/],
  ])(
    'reports trouble with the store once, is alive but not ready, and recovers (%s)',
    async (_, fault, reason) => {
      const running = await world()
      const { cosmos, host, heard } = running
      await heard.waitFor('lease.acquired', undefined, 3)
      const added = cosmos.faults.add(fault)
      const { reason: said } = await heard.waitFor('store.troubled')
      expect(said).toMatch(reason)
      await failures(heard, cosmos, 12)
      expect(heard.of('store.troubled')).toHaveLength(1)
      expect(heard.events.filter(({ type }) => type === 'balance.failed' || type === 'feed.failed')).toEqual(
        [],
      )
      expect(await probe(running, '/healthz')).toBe(200)
      expect(await probe(running, '/readyz')).toBe(503)
      cosmos.faults.remove(added)
      const job = await host.client.submit(greeting, { name: 'again' }, { jobId: 'after' })
      expect(await job.result()).toMatchObject({ greet: { text: 'hello again' } })
      const { failures: count } = await heard.waitFor('store.recovered')
      expect(count).toBeGreaterThan(3)
      expect(await probe(running, '/readyz')).toBe(200)
    },
  )

  it('reports once that its clock is wrong, and takes its deadlines from the store (F-Q12)', async () => {
    const { host, heard } = await world(
      createInProcessCosmos({ clock: correctedClock(systemClock, 300_000) }),
    )
    const { advice } = await heard.waitFor('host.advised')
    expect(advice).toMatch(/clock is (299|300|301) s behind the store's/)
    const job = await host.client.submit(greeting, { name: 'late' }, { jobId: 'late' })
    expect(await job.result()).toMatchObject({ greet: { text: 'hello late' } })
    expect(heard.of('step.recovered'), 'nothing was taken for overdue').toEqual([])
    expect(heard.of('host.advised')).toHaveLength(1)
  })
})

describe('a machine clock that changes while a host runs', () => {
  it.each([
    ['set right, as it is advised to be', -300_000, 0],
    ['set wrong', 0, -300_000],
  ])('does not move deadlines, which follow the store (%s, F-Q12)', async (_, fromMs, toMs) => {
    let offMs = fromMs
    const { host, heard } = await world(undefined, { ...systemClock, now: () => Date.now() + offMs })
    await heard.waitFor('lease.acquired', undefined, 3)
    offMs = toMs
    const begunMs = Date.now()
    const job = await host.client.submit(greeting, { name: 'set' }, { jobId: 'set' })
    const { submittedAt } = await job.view()
    expect(Math.abs(Date.parse(submittedAt) - begunMs)).toBeLessThan(20_000)
    expect(await job.result()).toMatchObject({ greet: { text: 'hello set' } })
    expect([heard.of('step.recovered'), heard.of('step.unclaimed')]).toEqual([[], []])
    expect((await heard.waitFor('host.advised')).advice).toMatch(
      /clock is (299|300|301) s behind the store's/,
    )
  })
})

describe('the start of a host', () => {
  it('waits until new permissions take effect', async () => {
    const cosmos = createInProcessCosmos()
    cosmos.faults.add({ match: { operation: 'replace' }, status: 403, times: 3 })
    const heard = new TelemetryRecorder()
    const patience = { forbidden: '30s' }
    const host = await startHost({
      client: cosmos.client(),
      agents: [greeter],
      timing,
      telemetry: heard,
      patience,
    })
    expect(heard.of('host.advised')).toMatchObject([
      { advice: expect.stringContaining('the start waits (') as string },
    ])
    await host.stop()
    await cosmos.close()
  })

  it('fails and says what to do when permissions are missing and it does not wait', async () => {
    const cosmos = createInProcessCosmos()
    cosmos.faults.add({ match: { operation: 'replace' }, status: 403 })
    const start = startHost({ client: cosmos.client(), agents: [greeter] })
    await expect(start).rejects.toThrow(/give it the Cosmos DB Built-in Data Contributor role/)
    await cosmos.close()
  })

  it('fails on a container that expires documents or has another partition key (I18)', async () => {
    const cosmos = createInProcessCosmos()
    const { database } = await cosmos.client().databases.create({ id: 'stepward' })
    await database.containers.create({ id: 'state', partitionKey: '/id', defaultTtl: 60 })
    const start = startHost({ client: cosmos.client(), agents: [greeter] })
    await expect(start).rejects.toThrow(
      /partitioned by \/id, .* by \/pk and .*deletes documents that were not written for 60 s/,
    )
    await cosmos.close()
  })
})

/** Resolves when the faults have struck this many requests. */
async function failures(heard: TelemetryRecorder, cosmos: InProcessCosmos, count: number): Promise<void> {
  const fired = (): number => cosmos.faults.list().reduce((sum, fault) => sum + fault.fired, 0)
  // Retries emit no event that the test could await, and that is what it checks.
  while (fired() < count) await new Promise((resolve) => setImmediate(resolve))
  expect(heard.of('store.recovered')).toEqual([])
}

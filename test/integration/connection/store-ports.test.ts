import type { CosmosClient } from '@azure/cosmos'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect, defineAgent, defineWorkflow, startHost, type Host } from '../../../src/index.js'
import { createInProcessCosmos, startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { attachAccount } from '../../../src/emulator/attach/attached-account.js'
import { reportWrites } from '../../../src/connection/internal.js'
import { scratchDirectory } from '../../support/scratch-directory.js'
import { engineOf } from '../../../src/engine-ports/index.js'
import { watchThroughDoor } from '../../../src/engine-ports/internal.js'
import { systemClock } from '../../../src/platform/index.js'
import type { TelemetryEvent } from '../../../src/telemetry/index.js'

const greeter = defineAgent('greeter', {
  greet: async (input: { name: string }) => ({ text: `hello ${input.name}` }),
})
const greeting = defineWorkflow<{ name: string }>('greeting', (job) => {
  job.step('greet', greeter.greet, { name: job.input.name }, { completeWithin: '30s' })
})

async function emulator(): Promise<Emulator> {
  const account = await startEmulator({ port: 0 })
  onTestFinished(() => account.close())
  return account
}

async function leaseIds(client: CosmosClient): Promise<readonly string[]> {
  const leases = client.database('stepward').container('leases')
  const { resources } = await leases.items.readAll<{ id: string }>().fetchAll()
  return resources.map(({ id }) => id).sort()
}

async function greet(host: Host, jobId: string): Promise<unknown> {
  const job = await host.client.submit(greeting, { name: jobId }, { jobId })
  return job.result()
}

/** Runs one job, and returns the requests of its state container with their charges. */
async function chargesOf(store: { client: CosmosClient } | { embedded: Emulator }) {
  const charges: string[] = []
  const telemetry = {
    emit: (event: TelemetryEvent) => {
      const isOfJob =
        event.type === 'store.charged' && /^state\.(create|replace|batch)$/.test(event.operation)
      if (isOfJob) charges.push(`${event.operation} ${Math.round(event.charge)}`)
    },
  }
  const host = await startHost({ ...store, agents: [greeter], telemetry })
  await greet(host, 'measured')
  await host.stop()
  return charges
}

describe('a host on an embedded account', () => {
  it('runs jobs to their end, and sends no request for their documents', async () => {
    const cosmos = createInProcessCosmos()
    const host = await startHost({ embedded: cosmos, agents: [greeter] })
    expect(await greet(host, 'ada')).toEqual({ greet: { text: 'hello ada' } })
    const before = cosmos.stats().requests
    const jobs = 40
    await Promise.all(Array.from({ length: jobs }, (_, index) => greet(host, `job-${index}`)))
    // The sweeps of the roles send a few requests. Through the SDK, each job takes several.
    expect(cosmos.stats().requests - before).toBeLessThan(jobs / 2)
    await host.stop()
    await cosmos.close()
  })

  it('uses the leases of a host that uses the SDK', async () => {
    const account = await emulator()
    const client = account.client()
    const first = await startHost({ client, agents: [greeter] })
    await greet(first, 'first')
    await first.stop()
    const before = await leaseIds(client)
    const second = await startHost({ embedded: account, agents: [greeter] })
    await greet(second, 'second')
    await second.stop()
    expect(before.length).toBeGreaterThan(0)
    expect(await leaseIds(client)).toEqual(before)
    client.dispose()
  })

  it('reports the same writes and charges as a host that uses the SDK', async () => {
    const [one, other] = [await emulator(), await emulator()]
    const client = one.client()
    const bySdk = await chargesOf({ client })
    expect(bySdk.length).toBeGreaterThan(1)
    expect(await chargesOf({ embedded: other })).toEqual(bySdk)
    client.dispose()
  })

  it('begins the job of another process at once, without a poll', async () => {
    const account = await emulator()
    const timing = { pollInterval: { min: '1h', max: '1h' } } as const
    // A supervisor would offer the job again after a minute.
    const roles = ['scheduler', 'agents'] as const
    const host = await startHost({ embedded: account, roles, agents: [greeter], timing })
    const { endpoint, key } = account
    const other = await connect({ endpoint, key })
    onTestFinished(() => other.close())
    const job = await other.submit(greeting, { name: 'eve' }, { jobId: 'eve' })
    expect(await job.result()).toEqual({ greet: { text: 'hello eve' } })
    await host.stop()
  })

  for (const isThroughSdk of [false, true])
    it(`${isThroughSdk ? 'attached through the SDK' : 'attached'} also begins a job at once, without a poll`, async () => {
      const dataDirectory = scratchDirectory()
      const cosmos = createInProcessCosmos({ dataDirectory })
      // The lock on the directory, and with it the socket, exists when the first request is answered.
      const other = await connect({ embedded: cosmos })
      const attached = await attachAccount(dataDirectory)
      if (attached === null) throw new Error('no process has the directory open')
      const client = attached.client()
      reportWrites(client, (database, container, onWrite) =>
        watchThroughDoor(attached, systemClock, { database, container, onWrite }),
      )
      const timing = { pollInterval: { min: '1h', max: '1h' } } as const
      const roles = ['scheduler', 'agents'] as const
      const store = isThroughSdk ? { client } : { embedded: attached }
      const users = new Set<string>()
      const telemetry = {
        emit: (event: TelemetryEvent) =>
          event.type === 'store.charged' ? void users.add(event.user ?? 'unknown') : undefined,
      }
      const host = await startHost({ ...store, roles, agents: [greeter], timing, telemetry })
      const job = await other.submit(greeting, { name: 'eve' }, { jobId: 'eve' })
      expect(await job.result()).toEqual({ greet: { text: 'hello eve' } })
      await host.stop()
      expect([...users].toSorted()).toEqual(['agents', 'feed', 'scheduler'])
      other.close()
      client.dispose()
      await cosmos.close()
    })

  it('answers searches, which use the SDK', async () => {
    const cosmos = createInProcessCosmos()
    const host = await startHost({ embedded: cosmos, agents: [greeter] })
    await greet(host, 'ada')
    expect(await host.client.list({ state: 'Processed' })).toMatchObject([{ jobId: 'ada' }])
    expect(await host.client.counts()).toMatchObject({ Processed: 1 })
    await host.stop()
    await cosmos.close()
  })

  it('stops although the account was closed before', async () => {
    const cosmos = createInProcessCosmos()
    const host = await startHost({ embedded: cosmos, agents: [greeter] })
    await cosmos.close()
    await expect(host.stop()).resolves.toBeUndefined()
  })

  it('is refused with a client beside it, and on anything but an account', async () => {
    const cosmos = createInProcessCosmos()
    const both = startHost({ embedded: cosmos, client: cosmos.client(), agents: [greeter] })
    await expect(both).rejects.toThrow('client and embedded are both given')
    const wrong = startHost({ embedded: {} as Emulator, agents: [greeter] })
    await expect(wrong).rejects.toThrow(
      'it must be an account of createInProcessCosmos, startEmulator or attachAccount',
    )
    expect(() => engineOf({ engine: {} })).toThrow('install the package only once')
  })
})

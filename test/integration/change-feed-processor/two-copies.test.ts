import type * as Cosmos from '@azure/cosmos'
import { Container, type CosmosClient } from '@azure/cosmos'
import { createRequire } from 'node:module'
import { defineAgent, defineWorkflow, startHost } from 'stepward'
import { ChangeFeedProcessor } from 'stepward/change-feed-processor'
import { startEmulator } from 'stepward/emulator'
import { expect, it, onTestFinished } from 'vitest'
import { deferred } from '../../support/deferred.js'

type Sdk = typeof Cosmos

/** The SDK as a CommonJS application loads it: a second copy beside that of the sources. */
const require = createRequire(import.meta.url)
const required = require('@azure/cosmos') as Sdk

/** Loads the same files once more, like a copy from another folder of packages. */
function thirdCopy(): Sdk {
  const before = { ...require.cache }
  for (const path of Object.keys(before))
    if (path.includes('@azure')) Reflect.deleteProperty(require.cache, path)
  const third = require('@azure/cosmos') as Sdk
  Object.assign(require.cache, before)
  return third
}

async function clientOf({ CosmosClient }: Sdk) {
  const emulator = await startEmulator({ port: 0 })
  const client = new CosmosClient({ endpoint: emulator.endpoint, key: emulator.key })
  onTestFinished(async () => {
    client.dispose()
    await emulator.close()
  })
  return client
}

async function containersOf(client: CosmosClient) {
  const { database } = await client.databases.create({ id: 'shop' })
  const partitionKey = { paths: ['/id'] }
  const made = ['orders', 'leases'].map((id) =>
    database.containers.create({ id, partitionKey, defaultTtl: -1 }),
  )
  await Promise.all(made)
  return { orders: database.container('orders'), leases: database.container('leases') }
}

it('the processor reads the feed of a container from the CommonJS copy of the SDK', async () => {
  const client = await clientOf(required)
  const { orders, leases } = await containersOf(client)
  expect(orders, 'two copies').not.toBeInstanceOf(Container)
  await orders.items.create({ id: 'one' })
  const delivered = deferred<readonly unknown[]>()
  const processor = new ChangeFeedProcessor({
    monitoredContainer: orders,
    leaseContainer: leases,
    processorName: 'unit',
    instanceName: 'one',
    startFrom: 'beginning',
    onChanges: (changes) => delivered.resolve(changes.map(({ id }) => id)),
    onError: (_place, error) => delivered.reject(error),
  })
  onTestFinished(() => processor.stop())
  await processor.start()
  expect(await delivered.promise).toEqual(['one'])
})

it('a host runs jobs with a client from the CommonJS copy of the SDK', async () => {
  const greeter = defineAgent('greeter', { greet: (input: { name: string }) => `hello ${input.name}` })
  const greeting = defineWorkflow<{ name: string }>('greeting', (job) => {
    job.step('greet', greeter.greet, { name: job.input.name })
  })
  const host = await startHost({ client: await clientOf(required), agents: [greeter] })
  onTestFinished(() => host.stop())
  const job = await host.client.submit(greeting, { name: 'ann' }, { jobId: 'ann' })
  expect(await job.result()).toEqual({ greet: 'hello ann' })
})

it('the processor refuses a container from a third copy of the SDK, and says what to do', async () => {
  const client = await clientOf(thirdCopy())
  const { orders, leases } = await containersOf(client)
  const processor = new ChangeFeedProcessor({
    monitoredContainer: orders,
    leaseContainer: leases,
    processorName: 'unit',
    instanceName: 'one',
    onChanges: () => undefined,
  })
  await expect(processor.start()).rejects.toThrow(/orders was made by another copy of @azure\/cosmos.*npm ls/)
})

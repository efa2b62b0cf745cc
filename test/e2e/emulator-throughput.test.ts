import { CosmosClient } from '@azure/cosmos'
import { expect, it } from 'vitest'
import { startEmulatorProcess } from './processes.js'

it.each([
  ['with --enforce-throughput', ['--enforce-throughput'], [429]],
  ['by default', [], []],
])(
  'the emulator refuses requests beyond the throughput of a container: %s',
  async (_case, args, refusals) => {
    const { endpoint, env } = await startEmulatorProcess(['--port', '0', ...args])
    const retryOptions = {
      maxRetryAttemptCount: 0,
      fixedRetryIntervalInMilliseconds: 1,
      maxWaitTimeInSeconds: 1,
    }
    const key = env['COSMOS_KEY'] ?? ''
    const client = new CosmosClient({ endpoint, key, connectionPolicy: { retryOptions } })
    const { database } = await client.databases.create({ id: 'shop' })
    const definition = { id: 'orders', partitionKey: '/pk', throughput: 400 }
    const { container } = await database.containers.create(definition)
    const large = { id: 'a', pk: 'a', text: 'x'.repeat(1_000_000) }
    const writes = await Promise.allSettled(Array.from({ length: 4 }, () => container.items.upsert(large)))
    const codes = writes.flatMap((write) => (write.status === 'rejected' ? [codeOf(write.reason)] : []))
    expect([...new Set(codes)]).toEqual(refusals)
    client.dispose()
  },
)

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error
}

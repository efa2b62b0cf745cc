import { env } from 'node:process'
import { connectionFromEnvironment, defineAgent, defineWorkflow, startHost } from 'stepward'
import { startEmulator } from 'stepward/emulator'
import { cosmosErrorKind } from '../../../lease-store/internal.js'
import { impatient, openConnection } from '../../../src/connection/connection.js'
import { expect, it, onTestFinished } from 'vitest'
import type { Connection } from '../../../src/connection/index.js'
const greeter = defineAgent('greeter', {
  greet: async (input: { name: string }) => ({ text: `hello ${input.name}` }),
})
const greeting = defineWorkflow<{ name: string }>('greeting', (job) => {
  job.step('greet', greeter.greet, { name: job.input.name }, { completeWithin: '30s' })
})

/** The store that the environment names, else an embedded one. The tests must pass on both. */
async function store(): Promise<Connection> {
  if ((env['COSMOS_ENDPOINT'] ?? '') !== '') return connectionFromEnvironment()
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  return { endpoint: emulator.endpoint, key: emulator.key }
}

it('a job runs to its end on the configured store (R172)', async () => {
  const host = await startHost({ ...(await store()), agents: [greeter], database: 'stepward-check' })
  try {
    const job = await host.client.submit(greeting, { name: 'store' }, { jobId: host.instanceName })
    expect(await job.result()).toMatchObject({ greet: { text: 'hello store' } })
  } finally {
    await host.stop()
  }
})

it('the client of a host repeats a throttled request three times, other clients nine times', async () => {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  const fault = emulator.faults.add({ match: { operation: 'database' }, status: 429, retryAfter: 1 })
  for (const [policy, count] of [
    [impatient, 4],
    [{}, 10],
  ] as const) {
    const { endpoint, key } = emulator
    const opened = await openConnection({ endpoint, key }, policy)
    onTestFinished(() => {
      opened.close()
    })
    const before = fault.fired
    const error: unknown = await opened.client
      .database('shop')
      .read()
      .catch((refusal: unknown) => refusal)
    expect(cosmosErrorKind(error)).toMatchObject({ kind: 'throttled', retryAfterMs: 1 })
    expect(fault.fired - before).toBe(count)
  }
})

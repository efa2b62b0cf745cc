import { defineAgent, defineWorkflow, startHost } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { expect, it, onTestFinished } from 'vitest'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'

const greeter = defineAgent('greeter', { greet: (input: { name: string }) => `hello ${input.name}` })
const greeting = defineWorkflow<{ name: string }>('greeting', (job) => {
  job.step('greet', greeter.greet, { name: job.input.name }, { completeWithin: '30s' })
})
const timing = { leaseAcquireInterval: 100, leaseRenewInterval: 300, pollInterval: 20 }

it('agents take no work while their host reports unhealthy, and the host stays alive (R124)', async () => {
  const cosmos = createInProcessCosmos()
  const heard = new TelemetryRecorder()
  let isHealthyHere = true
  const settings = { isHealthy: () => isHealthyHere, timing, telemetry: heard, port: 0 }
  const host = await startHost({ client: cosmos.client(), agents: [greeter], ...settings })
  onTestFinished(async () => {
    await host.stop()
    await cosmos.close()
  })
  const ofAgents = ({ processorName }: { readonly processorName: string }): boolean =>
    processorName === 'stepward-agents'
  await heard.waitFor('lease.acquired', ofAgents)
  isHealthyHere = false
  expect(await heard.waitFor('unit.unhealthy')).toMatchObject({ reason: 'isHealthy returned false' })
  await heard.waitFor('lease.released', ofAgents)
  const job = await host.client.submit(greeting, { name: 'you' }, { jobId: 'job' })
  await heard.waitFor('step.dispatched')
  await heard.waitFor('leases.listed', ofAgents, heard.of('leases.listed').filter(ofAgents).length + 3)
  expect(heard.of('step.started')).toEqual([])
  const probe = (path: string) => fetch(`http://127.0.0.1:${host.port ?? 0}${path}`)
  expect((await probe('/healthz')).status).toBe(200)
  const unready = await probe('/readyz')
  expect([unready.status, await unready.json()]).toEqual([
    503,
    { isHealthy: false, problems: ['role agents takes no work here: isHealthy returned false'] },
  ])
  isHealthyHere = true
  expect(await job.result()).toEqual({ greet: 'hello you' })
  expect((await probe('/readyz')).status).toBe(200)
  expect([heard.of('unit.unhealthy').length, heard.of('unit.healthy').length]).toEqual([1, 1])
})

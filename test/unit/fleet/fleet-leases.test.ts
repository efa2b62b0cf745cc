import { connect, defineAgent, defineWorkflow, startHost } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { expect, it, onTestFinished } from 'vitest'
import { FleetLeases } from '../../../src/fleet/fleet-leases.js'
import { systemClock, VirtualClock } from '../../../src/platform/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'

const greeter = defineAgent('greeter', { greet: (input: { name: string }) => `hello ${input.name}` })
const greeting = defineWorkflow<{ name: string }>('greeting', (job) => {
  job.step('greet', greeter.greet, { name: job.input.name })
})

it('`backlog` tells the lag and the number of leases of each role, running or not', async () => {
  const cosmos = createInProcessCosmos()
  const client = cosmos.client()
  const leases = new FleetLeases({ client }, ['scheduler', 'agents'], systemClock)
  onTestFinished(async () => {
    leases.dispose()
    await cosmos.close()
  })
  const heard = new TelemetryRecorder()
  const host = await startHost({ client, roles: ['scheduler'], telemetry: heard })
  await host.client.submit(greeting, { name: 'seen' }, { jobId: 'seen' })
  await heard.waitFor('page.delivered')
  await host.stop()
  const [before] = (await leases.backlog()) ?? []
  const jobs = await connect({ client })
  for (const name of ['one', 'two', 'three']) await jobs.submit(greeting, { name }, { jobId: name })
  const [scheduler, agents] = (await leases.backlog()) ?? []
  expect(scheduler).toMatchObject({ role: 'scheduler', leaseCount: 1 })
  expect((scheduler?.estimatedLag ?? 0) - (before?.estimatedLag ?? 0)).toBe(3)
  expect(scheduler?.oldestAgeMs).toBeGreaterThanOrEqual(0)
  // The agents have never run, so there are no leases to measure a lag by.
  expect(agents).toEqual({ role: 'agents', leaseCount: 0, estimatedLag: 0, oldestAgeMs: null })
})

it('`backlog` waits at most three seconds for a store that does not answer', async () => {
  const clock = new VirtualClock()
  const cosmos = createInProcessCosmos()
  onTestFinished(() => cosmos.close())
  const client = cosmos.client()
  await (await startHost({ client, roles: ['scheduler'] })).stop()
  cosmos.faults.add({ match: () => true, delay: 3_600_000 })
  const leases = new FleetLeases({ client }, ['scheduler'], clock)
  const told = leases.backlog()
  await clock.advance(3_000)
  expect(await told).toBeNull()
})

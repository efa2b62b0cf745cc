import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineAgent, defineWorkflow } from '../../../src/sas/index.js'
import { expect, it, onTestFinished } from 'vitest'
import { attention } from '../../../src/cli/commands/jobs/attention.js'
import { status } from '../../../src/cli/commands/jobs/status.js'
import { watch } from '../../../src/cli/commands/jobs/watch.js'
import { doctor } from '../../../src/cli/commands/operations/doctor.js'
import { estimate } from '../../../src/cli/commands/operations/estimate.js'
import { readAttention } from '../../../src/operations/index.js'
import { startEmulator } from '../../../src/emulator/index.js'
import { connect } from '../../../src/connection/index.js'
import { provision } from '../../../src/connection/internal.js'
import { machineProcesses } from '../../../src/platform/internal.js'
import { VirtualClock } from '../../../src/platform/index.js'
import { startHost } from '../../../src/host/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { temporaryDirectory } from '../../e2e/processes.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const greeter = defineAgent('greeter', { greet: () => 'hello' })
const payments = defineAgent('payments', { charge: () => null })
interface LeaseText {
  readonly id: string
}

const greeting = defineWorkflow('greeting', (job) => {
  job.waitFor('signal')
  job.step('greet', greeter.greet, {})
})

it('`doctor`, `estimate` and `attention` fail while jobs wait for roles that do not run', async () => {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  const store = { endpoint: emulator.endpoint, key: emulator.key }
  await provision(store)
  const { terminal, said, forget } = recordedTerminal()
  expect(await attention(store, terminal), 'nothing waits yet').toBe(0)
  expect(await estimate(store, terminal), 'nothing waits yet').toBe(0)

  const client = await connect(store)
  onTestFinished(() => client.close())
  for (const jobId of ['a', 'b', 'c']) await client.submit(greeting, {}, { jobId })
  const message = /3 jobs have not ended, and no instance runs the roles scheduler, agents, supervisor/
  for (const command of [doctor, estimate, attention]) {
    forget()
    expect(await command(store, terminal), command.name).toBe(1)
    expect(said().replaceAll(/\s+/g, ' '), command.name).toMatch(message)
  }
  expect(said()).toContain('    stepward start --role all --agents MODULE\n')
  forget()
  expect(await status('a', store, terminal)).toBe(0)
  expect(said()).toMatch(/^roles {6}3 jobs have not ended/m)
  expect(said().replaceAll(/\s+/g, ' ')).toMatch(message)
  for (const line of said().split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  forget()
  await status('a', { ...store, json: true }, terminal)
  expect(JSON.parse(said())).toMatchObject({
    jobId: 'a',
    nothingRuns: expect.stringMatching(message) as string,
  })
  expect(JSON.parse(said())).toMatchObject({
    why: expect.stringMatching(
      /^No instance in the roles scheduler and supervisor reads the feed range of this job;.* No scheduler has/,
    ) as string,
  })
  const job = await client.get('a')
  expect((await job?.view({ readsLeases: true }))?.why, 'a client says the same').toBe(
    (JSON.parse(said()) as { readonly why: string }).why,
  )
  expect((await job?.view())?.why, 'only if it is asked').toMatch(/^No scheduler has/)
  const forbidden = emulator.faults.add({ match: { container: 'leases', operation: 'query' }, status: 403 })
  expect((await job?.view({ readsLeases: true }))?.why, 'unread leases tell nothing').toMatch(
    /^No scheduler has/,
  )
  emulator.faults.remove(forbidden)
  const config = join(await temporaryDirectory(), 'stepward.config.json')
  await writeFile(config, '{"module":"./agents.js"}')
  forget()
  await attention({ ...store, config }, terminal)
  expect(said(), 'where the agents are is configured').toContain('    stepward start --role all\n')
  forget()
  await doctor({ ...store, json: true }, terminal)
  expect(JSON.parse(said())).toContainEqual(
    expect.objectContaining({ rule: 'nothingRuns', severity: 'problem' }),
  )

  const telemetry = new TelemetryRecorder()
  const roles = ['scheduler', 'supervisor'] as const
  const host = await startHost({ ...store, roles, telemetry })
  onTestFinished(() => host.stop())
  await telemetry.waitFor('lease.acquired', () => true, 2)
  forget()
  expect(await attention(store, terminal)).toBe(1)
  expect(said()).toMatch(/3 jobs have not ended, and no instance runs the role agents/)
  expect(said()).toContain('    stepward start --role agents --agents MODULE\n')

  const agents = await startHost({ ...store, roles: ['agents'], agents: [greeter], telemetry })
  onTestFinished(() => agents.stop())
  await telemetry.waitFor('lease.acquired', () => true, 3)
  forget()
  expect(await attention(store, terminal)).toBe(0)
  expect(await estimate(store, terminal)).toBe(0)
  forget()
  await status('a', { ...store, json: true }, terminal)
  expect(JSON.parse(said())).toMatchObject({
    state: 'Processing',
    nothingRuns: null,
    why: expect.stringMatching(/^Step signal waits for an event/) as string,
  })

  const paying = defineWorkflow('paying', (job) => void job.step('pay', payments.charge, {}))
  await client.submit(paying, {}, { jobId: 'p' })
  await telemetry.waitFor('document.refused', () => true)
  forget()
  await status('p', { ...store, json: true }, terminal)
  expect(JSON.parse(said()), 'only another agent runs').toMatchObject({
    why: expect.stringMatching(
      /^No instance that reads the feed range of this job has agent payments: start one .* Step pay is dispatched to/,
    ) as string,
  })
  const later = Date.now() + 40_000
  const { groups, jobs } = await readAttention(client, store, { filter: {}, now: later })
  expect({ groups, jobs }).toMatchObject({
    groups: [{ kind: 'noAgent', workflow: 'paying', stepId: 'pay', jobIds: ['p'] }],
    jobs: 1,
  })
  expect(groups[0]).toMatchObject({
    message: 'no instance with leases of the agents has agent payments',
    command: 'stepward start --role agents --agents MODULE',
  })
  for (const [filter, count] of [
    [{ workflow: 'paying', step: 'pay' }, 1],
    [{ workflow: 'greeting' }, 0],
    [{ step: 'greet' }, 0],
    [{ state: 'Processing' }, 0],
  ] as const)
    expect(
      (await readAttention(client, store, { filter, now: later })).groups,
      JSON.stringify(filter),
    ).toHaveLength(count)
  const soon = await readAttention(client, store, { filter: {}, now: Date.now() })
  expect(soon.groups, 'an instance may be about to start').toEqual([])
  await agents.stop()
  const paid = await startHost({ ...store, roles: ['agents'], agents: [greeter, payments], telemetry })
  onTestFinished(() => paid.stop())
  await telemetry.waitFor('lease.acquired', () => true, 4)
  expect((await readAttention(client, store, { filter: {}, now: later })).groups).toEqual([])

  const clock = new VirtualClock()
  const watching = recordedTerminal()
  const watched = watch('a', store, watching.terminal, clock)
  await expect.poll(watching.said).toMatch(/ job a Processing$/u)
  await clock.advance(10_000)
  await expect
    .poll(() => watching.noted)
    .toEqual([expect.stringMatching(/^stepward: Step signal waits for an event/u)])
  await client.raiseEvent('a', 'signal')
  expect(await watched).toBe(0)
})

it.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('`watch` fails if %s ends it before the job has ended', async (signal, code) => {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  const store = { endpoint: emulator.endpoint, key: emulator.key }
  await provision(store)
  const client = await connect(store)
  onTestFinished(() => client.close())
  await client.submit(greeting, {}, { jobId: 'w' })
  const watching = recordedTerminal()
  const watched = watch('w', store, watching.terminal)
  await expect.poll(watching.said).toMatch(/ job w Pending$/u)
  process.emit(signal, signal)
  expect(await watched).toBe(code)
})

it('`attention` and `status` see at once that the process of all owners was killed', async () => {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  const store = { endpoint: emulator.endpoint, key: emulator.key }
  await provision(store)
  const telemetry = new TelemetryRecorder()
  const host = await startHost({ ...store, agents: [greeter], telemetry })
  await telemetry.waitFor('lease.acquired', () => true, 3)
  await host.client.submit(greeting, {}, { jobId: 'k' })
  const container = emulator.client().database('stepward').container('leases')
  const { resources } = await container.items.readAll<LeaseText>().fetchAll()
  await host.stop()
  // A killed process leaves its leases as they are. Their owner becomes a process that has ended.
  const own = machineProcesses.own ?? 'unknown'
  const ended = own.replace(/\d+$/, (startedAt) => `${Number(startedAt) - 1}`)
  for (const lease of resources.map((each) => JSON.stringify(each)))
    await container.items.upsert(JSON.parse(lease.replaceAll(own, ended)) as LeaseText)
  const { terminal, said, forget } = recordedTerminal()
  const isKnown = machineProcesses.own !== null
  expect(await attention(store, terminal)).toBe(isKnown ? 1 : 0)
  if (!isKnown) return
  expect(said()).toContain('1 job has not ended, and no instance runs the roles scheduler')
  forget()
  await status('k', store, terminal)
  expect(said()).toMatch(/^roles {6}1 job has not ended/m)
})

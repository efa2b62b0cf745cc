import { defineAgent, defineWorkflow } from '../../../src/sas/index.js'
import { expect, it, onTestFinished } from 'vitest'
import { status } from '../../../src/cli/commands/jobs/status.js'
import { connect } from '../../../src/connection/index.js'
import { provision } from '../../../src/connection/internal.js'
import { startHost } from '../../../src/host/index.js'
import { startEmulator } from '../../../src/emulator/index.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const greeter = defineAgent('greeter', { greet: () => 'hello' })
const greeting = defineWorkflow('greeting', (job) => void job.step('greet', greeter.greet, {}))

it('`status` counts the jobs of all partitions by state', async () => {
  const emulator = await startEmulator({ port: 0, partitionCount: 3 })
  onTestFinished(() => emulator.close())
  const { endpoint, key } = emulator
  await provision({ endpoint, key })
  const client = await connect({ endpoint, key })
  onTestFinished(() => client.close())
  for (let index = 0; index < 7; index += 1) await client.submit(greeting, {}, { jobId: `job-${index}` })
  await client.cancel('job-3', 'not wanted')
  const { terminal, said } = recordedTerminal()
  expect(await status(undefined, { endpoint, key, json: true }, terminal)).toBe(0)
  expect(JSON.parse(said())).toEqual({
    Pending: 6,
    Processing: 0,
    Processed: 0,
    Error: 0,
    Compensating: 1,
    Compensated: 0,
  })
})

it('`status JOB` shows the tags and the result of a job', async () => {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  const { endpoint, key } = emulator
  const polite = defineWorkflow<object, { said: string }>('polite', (job) => {
    const { output } = job.step('greet', greeter.greet, {}, { undo: 'none' })
    return { said: output }
  })
  const host = await startHost({ endpoint, key, agents: [greeter], timing: { pollInterval: 10 } })
  onTestFinished(() => host.stop())
  const job = await host.client.submit(polite, {}, { jobId: 'j', tags: { customer: 4711 } })
  expect(await job.result()).toEqual({ said: 'hello' })
  const { terminal, said, forget } = recordedTerminal()
  expect(await status('j', { endpoint, key }, terminal)).toBe(0)
  expect(said()).toMatch(/^tags {7}customer=4711$/m)
  expect(said()).toMatch(/^result {5}\{"said":"hello"\}$/m)
  forget()
  await status('j', { endpoint, key, json: true }, terminal)
  expect(JSON.parse(said())).toMatchObject({ result: { said: 'hello' }, tags: { customer: '4711' } })
})

it('`status JOB` prints the secrets of a job only with --show-secrets', async () => {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  const { endpoint, key } = emulator
  const polite = defineWorkflow<{ readonly name: string }, object>(
    'polite',
    (job) => ({ said: job.step('greet', greeter.greet, { to: job.input.name }, { undo: 'none' }).output }),
    { secrets: ['input.name', 'steps.greet.output'] },
  )
  const host = await startHost({ endpoint, key, agents: [greeter], timing: { pollInterval: 10 } })
  onTestFinished(() => host.stop())
  const job = await host.client.submit(polite, { name: 'Ada Lovelace' }, { jobId: 'j' })
  expect(await job.result()).toEqual({ said: 'hello' })
  const { terminal, said, forget } = recordedTerminal()
  for (const json of [false, true]) {
    forget()
    expect(await status('j', { endpoint, key, json }, terminal)).toBe(0)
    expect(said()).toContain('•••• secret')
    expect(said()).not.toContain('hello')
    forget()
    await status('j', { endpoint, key, json, showSecrets: true }, terminal)
    expect(said()).toContain('hello')
    expect(said()).not.toContain('•••• secret')
  }
})

import { CosmosClient } from '@azure/cosmos'
import { expect, it, onTestFinished } from 'vitest'
import { exitCodeOf } from '../../../src/cli/output/cli-error.js'
import { attention } from '../../../src/cli/commands/jobs/attention.js'
import { doctor } from '../../../src/cli/commands/operations/doctor.js'
import { list } from '../../../src/cli/commands/jobs/list.js'
import { status } from '../../../src/cli/commands/jobs/status.js'
import { startEmulator } from '../../../src/emulator/index.js'
import { startHost } from '../../../src/host/index.js'
import { defineAgent, defineWorkflow } from '../../../src/sas/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const greeter = defineAgent('greeter', { greet: () => 'hello' })
const waiting = defineWorkflow('waiting', (job) => {
  job.waitFor('signal')
})

it('operator commands report a job with an unreadable document until it is repaired', async () => {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  const { endpoint, key } = emulator
  const store = { endpoint, key }
  const telemetry = new TelemetryRecorder()
  const host = await startHost({ ...store, agents: [greeter], telemetry })
  onTestFinished(() => host.stop())
  for (const jobId of ['good', 'bad']) await host.client.submit(waiting, {}, { jobId })

  const client = new CosmosClient(store)
  onTestFinished(() => client.dispose())
  const document = client.database('stepward').container('state').item('sas.job:bad', 'bad')
  const edit = (steps: unknown) => document.patch([{ op: 'set', path: '/audit', value: steps }])
  await edit('by hand')
  await telemetry.waitFor('attention.raised', ({ kind }) => kind === 'unreadable')

  const { terminal, said, noted, forget } = recordedTerminal()
  const text = () => said().replaceAll(/\s+/g, ' ')
  expect(await attention(store, terminal)).toBe(1)
  expect(text()).toMatch(/unreadable.*waiting.*1 job/)
  forget()
  expect(await doctor(store, terminal)).toBe(1)
  expect(text()).toMatch(
    /problem unreadableJob document "sas\.job:bad" cannot be read: audit: .*correct that field/,
  )
  forget()
  expect(await status(undefined, store, terminal)).toBe(0)
  expect(noted).toEqual(['1 job is not shown, because its document cannot be read: see "stepward attention"'])
  forget()
  expect(await list({ ...store, limit: '100' }, terminal)).toBe(0)
  expect(noted).toEqual(['1 job is not shown, because its document cannot be read: see "stepward attention"'])
  expect(said()).toContain('good')
  const refusal: unknown = await status('bad', store, terminal).catch((error: unknown) => error)
  expect(String(refusal)).toMatch(/"bad".*cannot be read: audit: .*correct that field/)
  expect(String(refusal)).not.toMatch(/remove|delete/)
  expect(exitCodeOf(refusal)).not.toBe(0)

  await edit([])
  forget()
  expect(await attention(store, terminal)).toBe(0)
  await status('bad', store, terminal)
  expect(said()).toMatch(/^job {8}bad$/m)
})

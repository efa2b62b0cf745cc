import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { attention } from '../../../src/cli/commands/jobs/attention.js'
import { inbox } from '../../../src/cli/commands/jobs/inbox.js'
import { list } from '../../../src/cli/commands/jobs/list.js'
import { migrate } from '../../../src/cli/commands/jobs/migrate.js'
import { resend } from '../../../src/cli/commands/jobs/resend.js'
import { restart } from '../../../src/cli/commands/jobs/restart.js'
import { decide } from '../../../src/cli/commands/jobs/resubmit-release-cancel.js'
import { triage } from '../../../src/cli/commands/jobs/triage.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { connect, type ConnectedClient } from '../../../src/connection/index.js'
import { defineWorkflow, type SelectionFilter } from '../../../src/sas/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { shop } from '../../support/a-job.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const buying = defineWorkflow('buying', (job) => {
  job.step('sell', shop.sell, { item: 'x' }, { undo: 'none' })
})

let emulator: Emulator
let client: ConnectedClient
let store: { readonly endpoint: string; readonly key: string }
const telemetry = new TelemetryRecorder()
const { terminal, said, noted, forget } = recordedTerminal()

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
  store = { endpoint: emulator.endpoint, key: emulator.key }
  client = await connect({ ...store, telemetry })
  await client.submit(buying, {}, { jobId: 'B-1' })
})
afterAll(async () => {
  client.close()
  await emulator.close()
})
beforeEach(forget)

const why = 'tested'
const byWorkflow = () => ({ ...store, workflow: 'buyng' })
const unknown = 'stepward: there is no job of workflow "buyng" yet: did you mean "buying"?'

it.each([
  ['list', () => list({ ...byWorkflow(), limit: '10' }, terminal)],
  ['attention', () => attention(byWorkflow(), terminal)],
  ['inbox', () => inbox({ ...byWorkflow(), limit: '10' }, terminal)],
  ['resubmit', () => decide('resubmit', undefined, { ...byWorkflow(), why }, terminal)],
  ['release', () => decide('release', undefined, byWorkflow(), terminal)],
  ['cancel', () => decide('cancel', undefined, { ...byWorkflow(), why, dryRun: true }, terminal)],
  ['triage', () => triage(undefined, { ...byWorkflow(), note: 'n' }, terminal)],
  ['restart', () => restart(undefined, { ...byWorkflow(), from: 'sell', why }, terminal)],
  ['resend', () => resend(undefined, byWorkflow(), terminal)],
])('`%s` that finds nothing names a workflow that may be misspelt', async (_name, run) => {
  expect(await run()).toBe(0)
  expect(noted).toEqual([unknown])
})

it.each([
  [
    { workflow: 'buying', step: 'sel' },
    ['stepward: the newest job of workflow "buying" has no step "sel": did you mean "sell"?'],
  ],
  [{ step: 'sel' }, ['stepward: the newest job has no step "sel": did you mean "sell"?']],
  [
    { workflow: 'buying', step: 'pack' },
    ['stepward: the newest job of workflow "buying" has no step "pack": check the name; there is "sell"'],
  ],
  // Without a workflow, this may be a step of an older job.
  [{ step: 'pack' }, []],
  [{ workflow: 'buying', step: 'sell' }, []],
  [{ workflow: 'buying' }, []],
  [{ tag: ['a=b'] }, []],
])('`attention` with %j says which name may be misspelt', async (filter, notes) => {
  expect(await attention({ ...store, ...filter, since: '1d' }, terminal)).toBe(0)
  expect(noted).toEqual(notes)
})

it('the JSON of commands on jobs has the warnings', async () => {
  await decide('cancel', undefined, { ...byWorkflow(), why, json: true }, terminal)
  const report = JSON.parse(said().replace(`${unknown}\n`, '')) as unknown
  expect(report).toEqual({
    command: 'cancel',
    isDryRun: false,
    done: [],
    refused: [],
    warnings: [unknown.replace('stepward: ', '')],
  })
})

it('a workflow of the module is not misspelt, although it has no job', async () => {
  const module = new URL('checked-module.ts', import.meta.url).pathname
  await migrate(undefined, { ...store, workflow: 'buy', module, why }, terminal)
  expect(noted).toEqual([])
})

it('asks for no more request units when the store has more jobs', async () => {
  const asked = async (filter: SelectionFilter): Promise<number> => {
    const isQuery = ({ operation }: { readonly operation: string }): boolean => operation === 'state.listJobs'
    const before = telemetry.of('store.charged').filter(isQuery).length
    await client.select(filter).unknownNames()
    const charges = telemetry.of('store.charged').filter(isQuery).slice(before)
    expect(charges.length).toBeGreaterThan(0)
    expect(charges.length).toBeLessThanOrEqual(3)
    return charges.reduce((sum, { charge }) => sum + charge, 0)
  }
  const ids = Array.from({ length: 400 }, (_, index) => `M-${index}`)
  await Promise.all(ids.map((jobId) => client.submit(buying, {}, { jobId })))
  expect(await asked({ workflow: 'buyng' })).toBeLessThan(20)
  expect(await asked({ workflow: 'buying', step: 'sel' })).toBeLessThan(20)
})

it('asks nothing if a selection has found something, or names nothing', async () => {
  expect(await client.select({ state: 'Error' }).unknownNames()).toEqual([])
  const before = telemetry.events.length
  await client.select({ state: 'Error' }).unknownNames()
  expect(telemetry.events).toHaveLength(before)
})

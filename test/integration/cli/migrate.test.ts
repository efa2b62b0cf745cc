import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { migrate } from '../../../src/cli/commands/jobs/migrate.js'
import { status } from '../../../src/cli/commands/jobs/status.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { startHost, type Host } from '../../../src/host/index.js'
import { defineAgent, defineWorkflow } from '../../../src/sas/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const bank = defineAgent('bank', { pay: (amount: unknown) => amount })
const buying = defineWorkflow('buying', (job) => {
  const approved = job.waitFor('approve')
  job.step('pay', bank.pay, 70, { after: [approved], undo: 'none' })
})

let emulator: Emulator
let host: Host
let store: { readonly endpoint: string; readonly key: string; readonly module: string }
const { terminal, said, forget } = recordedTerminal()
const terms = { why: 'a zero too many', by: 'ann' }

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
  const module = join(await mkdtemp(join(tmpdir(), 'stepward-')), 'workflows.mjs')
  const names = pathToFileURL(resolve('src/sas/index.ts')).href
  await writeFile(
    module,
    `import { defineAgent, defineWorkflow } from ${JSON.stringify(names)}
const bank = defineAgent('bank', { pay: (amount) => amount })
export const buying = defineWorkflow('buying', (job) => {
  const approved = job.waitFor('approve')
  job.step('pay', bank.pay, 7, { after: [approved], undo: 'none' })
}, { version: 2 })
`,
  )
  store = { endpoint: emulator.endpoint, key: emulator.key, module }
  host = await startHost({
    endpoint: emulator.endpoint,
    key: emulator.key,
    agents: [bank],
    telemetry: new TelemetryRecorder(),
  })
})
afterAll(async () => {
  await host.stop()
  await emulator.close()
  await rm(dirname(store.module), { recursive: true })
})
beforeEach(forget)

it('`migrate` shows what would change, changes it once, and the job ends with the new plan', async () => {
  const job = await host.client.submit(buying, null, { jobId: 'M-1' })
  await migrate('M-1', { ...store, ...terms, dryRun: true }, terminal)
  expect(said()).toBe('M-1 would be migrated: pay\n  version: 1 → 2\n  pay: input: 70 → 7')
  forget()
  expect(await migrate('M-1', { ...store, ...terms }, terminal)).toBe(0)
  await migrate('M-1', { ...store, ...terms }, terminal)
  expect(said()).toContain('M-1 migrated: pay')
  expect(said()).toContain('M-1 has this plan already.')
  await host.client.raiseEvent('M-1', 'approve')
  expect(await job.result()).toMatchObject({ pay: 7 })
  forget()
  await status('M-1', store, terminal)
  expect(said()).toContain('pay input: 70 → 7')
})

it('`migrate` prints JSON, for one job and for many', async () => {
  await host.client.submit(buying, null, { jobId: 'M-2' })
  const json = { ...store, ...terms, json: true }
  await migrate('M-2', { ...json, dryRun: true }, terminal)
  expect(JSON.parse(said())).toMatchObject({ command: 'migrate', jobId: 'M-2', changed: ['pay'], kept: [] })
  forget()
  await host.client.submit(buying, null, { jobId: 'M-3' })
  const all = { ...store, ...terms, workflow: 'buying' }
  expect(await migrate(undefined, { ...all, dryRun: true }, terminal)).toBe(0)
  expect(said()).toMatch(/In 2 jobs, such as M-[23]:\n.*\n {2}pay: input: 70 → 7/u)
  forget()
  expect(await migrate(undefined, { ...json, workflow: 'buying' }, terminal)).toBe(0)
  const migrated = said()
  await host.client.submit(buying, null, { jobId: 'M-4' })
  forget()
  await migrate(undefined, { ...store, workflow: 'buying', dryRun: true }, terminal)
  expect(said(), 'M-2 and M-3 have the plan').toContain('1 job would be migrated:\n  M-4\n')
  expect(said()).toMatch(/2 jobs, such as M-[23], already have this plan\./)
  const report = JSON.parse(migrated) as { readonly done: string[]; readonly migrated: unknown }
  expect(report).toMatchObject({ command: 'migrate', isDryRun: false, refused: [] })
  expect(report.done.toSorted()).toEqual(['M-2', 'M-3'])
  const change = { stepId: 'pay', path: 'input', before: '70', after: '7' }
  expect(report.migrated).toMatchObject([
    { changed: ['pay'], edit: { changes: expect.arrayContaining([change]) as unknown } },
  ])
})

it('`migrate` refuses what it cannot do with one sentence', async () => {
  await expect(migrate('M-1', store, terminal)).rejects.toThrow('pass --why TEXT')
  await expect(migrate(undefined, { ...store, ...terms }, terminal)).rejects.toThrow('migrate needs a JOB')
  const many = { ...store, ...terms, workflow: 'buying' }
  await expect(migrate('M-1', many, terminal)).rejects.toThrow('exclude each other')
  await expect(migrate('nope', { ...store, ...terms }, terminal)).rejects.toThrow('nope')
  const unknown = { ...store, ...terms, workflow: 'selling' }
  await expect(migrate(undefined, unknown, terminal)).rejects.toThrow('unknown workflow "selling"')
})

it('`migrate` refuses an older version of the workflow without --older', async () => {
  const newer = defineWorkflow(
    'buying',
    (job) => {
      const approved = job.waitFor('approve')
      job.step('pay', bank.pay, 70, { after: [approved], undo: 'none' })
    },
    { version: 3 },
  )
  await host.client.submit(newer, null, { jobId: 'M-9' })
  const refusal = 'job M-9 has version 3 of workflow buying, and the new definition is version 2'
  await expect(migrate('M-9', { ...store, ...terms, dryRun: true }, terminal)).rejects.toThrow(refusal)
  expect(await migrate('M-9', { ...store, ...terms, older: true }, terminal)).toBe(0)
  expect(said()).toBe('M-9 migrated: pay\n  version: 3 → 2\n  pay: input: 70 → 7')
})

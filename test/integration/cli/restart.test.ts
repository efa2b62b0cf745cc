import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { list } from '../../../src/cli/commands/jobs/list.js'
import { restart } from '../../../src/cli/commands/jobs/restart.js'
import { decide } from '../../../src/cli/commands/jobs/resubmit-release-cancel.js'
import { status } from '../../../src/cli/commands/jobs/status.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { startHost, type Host } from '../../../src/host/index.js'
import { condition, defineAgent, defineWorkflow, type AgentContext } from '../../../src/sas/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { temporaryDirectory } from '../../e2e/processes.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const bank = defineAgent('bank', {
  reserve: () => 'reserved',
  act: ({ amount }: { amount: number }) => {
    if (amount > 10) throw new Error('no answer of the bank')
    return amount
  },
  refund: (_input: null) => null,
  pay: ({ amount }: { amount: number }, context: AgentContext) =>
    amount > 10 ? context.failPermanently('too much') : amount,
})
const buying = defineWorkflow<{ amount: number }>('buying', (job) => {
  const reserved = job.step('reserve', bank.reserve, {}, { undo: 'none' })
  job.step('pay', bank.pay, { amount: job.input.amount }, { after: [reserved], undo: 'none' })
})
const acting = defineWorkflow<{ amount: number }>('acting', (job) => {
  const undo = () => bank.refund(null)
  job.step('pay', bank.act, { amount: job.input.amount }, { undo, retry: { tries: 1 } })
})

let emulator: Emulator
let host: Host
let store: { readonly endpoint: string; readonly key: string }
const { terminal, said, forget } = recordedTerminal()
const terms = { from: 'pay', why: 'a zero too many', by: 'ann' }

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
  store = { endpoint: emulator.endpoint, key: emulator.key }
  host = await startHost({ ...store, agents: [bank], telemetry: new TelemetryRecorder() })
})
afterAll(async () => {
  await host.stop()
  await emulator.close()
})
beforeEach(forget)

async function failed(jobId: string): Promise<void> {
  const job = await host.client.submit(buying, { amount: 70 }, { jobId })
  await expect(job.result()).rejects.toThrow()
}

it('`restart` goes on with corrected data, shows it first, and can be repeated', async () => {
  await failed('R-1')
  const input = join(await temporaryDirectory(), 'input.json')
  await writeFile(input, '{ "amount": 7 }')
  expect(await restart('R-1', { ...store, ...terms, input, dryRun: true }, terminal)).toBe(0)
  expect(said()).toBe(
    'R-1 would be restarted from step pay as job R-1.r1:\n  carried over: reserve\n  runs again: pay',
  )
  forget()
  expect(await restart('R-1', { ...store, ...terms, from: 'reserve', dryRun: true }, terminal)).toBe(0)
  expect(said()).toContain('\n  runs again although it succeeded: reserve')
  forget()
  await restart('R-1', { ...store, ...terms, input }, terminal)
  await restart('R-1', { ...store, ...terms, input }, terminal)
  expect(said()).toContain('R-1 restarted from step pay as job R-1.r1:')
  expect(said()).toContain('R-1 was already restarted from step pay as job R-1.r1:')
  const job = await host.client.get('R-1.r1')
  expect(await job?.result()).toMatchObject({ pay: 7 })
  forget()
  await status('R-1.r1', store, terminal)
  expect(said()).toMatch(/^restart of R-1 from step pay by ann at .*: a zero too many$/m)
  forget()
  await status('R-1', store, terminal)
  expect(said()).toMatch(/^state {6}Compensated, restarted as R-1\.r1$/m)
  expect(said()).toContain('It was restarted from step pay as job R-1.r1, which owns what it did.')
  expect(said()).toContain('edit       input.amount: 70 → 7')
  forget()
  await list({ ...store, limit: '10', text: 'R-1' }, terminal)
  expect(said()).toMatch(/^R-1 .*Compensated.*restarted as R-1\.r1$/m)
})

it('`restart` refuses an input that does not fit the schema of the workflow', async () => {
  await failed('R-0')
  const folder = await temporaryDirectory()
  const [input, module] = [join(folder, 'input.json'), join(folder, 'workflows.mjs')]
  await writeFile(input, '{ "amount": "7" }')
  await writeFile(
    module,
    `import { defineWorkflow } from ${JSON.stringify(pathToFileURL('src/sas/workflow/workflow.ts').href)}
     const input = { type: 'object', properties: { amount: { type: 'number' } } }
     export const buying = defineWorkflow('buying', (job) => void job.waitFor('x'), { input })`,
  )
  const given = { ...store, ...terms, input, module }
  await expect(restart('R-0', given, terminal)).rejects.toThrow(
    /the new input does not fit workflow buying: input\.amount is "7": .*expected number/,
  )
  expect(await host.client.get('R-0.r1')).toBeNull()
  expect(await restart(undefined, { ...given, json: true, workflow: 'buying' }, terminal)).toBe(4)
  expect(JSON.parse(said())).toMatchObject({ done: [], refused: [{ jobId: 'R-0' }] })
  const config = join(folder, 'stepward.config.json')
  await writeFile(config, JSON.stringify({ module: './none.mjs' }))
  forget()
  const known = { ...store, ...terms, input, config, dryRun: true }
  expect(await restart('R-0', known, terminal), 'the module of the configuration is away').toBe(0)
  expect(said()).toMatch(/the input was not checked: module .* does not exist/)
  await host.client.restart('R-0', { from: 'pay', by: 'ann', why: 'x', after: 'keep', input: { amount: 7 } })
})

it('`restart` prints JSON, for one job and for many', async () => {
  await failed('R-2')
  const json = { ...store, ...terms, json: true }
  await restart('R-2', { ...json, as: 'other', dryRun: true }, terminal)
  expect(JSON.parse(said())).toMatchObject({ command: 'restart', jobId: 'other', carried: ['reserve'] })
  forget()
  expect(await restart(undefined, { ...json, workflow: 'buying' }, terminal)).toBe(0)
  const report = { command: 'restart', isDryRun: false, done: ['R-2'], refused: [], warnings: [] }
  expect(JSON.parse(said())).toEqual(report)
  forget()
  await restart(undefined, { ...store, ...terms, workflow: 'nothing' }, terminal)
  expect(said()).toContain('No matching job can be restarted.')
})

it('`restart` says what to pass for a step that may have acted, and shows nothing of the earlier job as its own', async () => {
  const job = await host.client.submit(acting, { amount: 70 }, { jobId: 'U-1' })
  await expect(job.result()).rejects.toThrow()
  const choice = 'pass --after undo to undo first what may have been done, or --after keep to leave it'
  await expect(restart('U-1', { ...store, from: 'pay', dryRun: true }, terminal)).rejects.toThrow(choice)
  await restart('U-1', { ...store, from: 'pay', dryRun: true, after: 'undo' }, terminal)
  expect(said()).toContain('undone first: pay')
  await host.client.restart('U-1', {
    from: 'pay',
    why: 'typo',
    by: 'ann',
    after: 'undo',
    input: { amount: 7 },
  })
  const again = await host.client.get('U-1.r1')
  await again?.result()
  const [pay] = (await again?.view())?.steps ?? []
  expect(pay).toMatchObject({ state: 'Processed', diagnostics: [] })
})

it('`cancel --dry-run` shows which steps would be stopped, which undone, and which effects stay', async () => {
  const shopping = defineWorkflow('shopping', (job) => {
    const reserved = job.step('reserve', bank.reserve, {}, { undo: 'none' })
    const paid = job.step(
      'pay',
      bank.act,
      { amount: 1 },
      { undo: () => bank.refund(null), after: [reserved] },
    )
    job.waitFor('parcel', { after: [paid] })
    job.step(
      'thank',
      bank.reserve,
      {},
      { undo: 'none', after: [paid], when: condition.equal(paid.output, 2) },
    )
  })
  const job = await host.client.submit(shopping, null, { jobId: 'C-1' })
  for await (const { why } of job.updates()) if (why.includes('parcel')) break
  expect(await decide('cancel', 'C-1', { ...store, dryRun: true }, terminal)).toBe(0)
  expect(said()).toBe(
    '1 job would be cancelled:\n  C-1\n  stopped: parcel\n  undone: pay\n  effects stay: reserve',
  )
  forget()
  expect(await decide('cancel', undefined, { ...store, workflow: 'shopping', dryRun: true }, terminal)).toBe(
    0,
  )
  expect(said()).toBe('1 job would be cancelled:\n  C-1: stopped: parcel; undone: pay; effects stay: reserve')
  await host.client.cancel('C-1', 'x')
  await expect(job.result()).rejects.toThrow()
  expect(
    (await job.view()).steps.filter(({ state }) => state === 'Compensated').map(({ stepId }) => stepId),
  ).toContain('pay')
})

it('`restart` refuses what it cannot do with one sentence', async () => {
  await expect(restart('R-1', store, terminal)).rejects.toThrow(
    'pass --from STEP, the first step that runs again; pass --why TEXT',
  )
  await expect(restart(undefined, { ...store, ...terms }, terminal)).rejects.toThrow('restart needs a JOB')
  const many = { ...store, ...terms, workflow: 'buying' }
  await expect(restart('R-1', many, terminal)).rejects.toThrow('exclude each other')
  await expect(restart(undefined, { ...many, as: 'x' }, terminal)).rejects.toThrow('--as names one new job')
  await expect(restart('nope', { ...store, ...terms }, terminal)).rejects.toThrow('nope')
})

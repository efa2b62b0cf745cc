import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { attention } from '../../../src/cli/commands/jobs/attention.js'
import { decide } from '../../../src/cli/commands/jobs/resubmit-release-cancel.js'
import { list } from '../../../src/cli/commands/jobs/list.js'
import { status } from '../../../src/cli/commands/jobs/status.js'
import { triage } from '../../../src/cli/commands/jobs/triage.js'
import { watch } from '../../../src/cli/commands/jobs/watch.js'
import type { AttentionGroup } from '../../../src/operations/index.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { startHost, type Host } from '../../../src/host/index.js'
import { defineAgent, defineWorkflow, JobFailed, type AgentContext } from '../../../src/sas/index.js'
import { stepDocumentId } from '../../../src/sas/model/document-ids.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { temporaryDirectory } from '../../e2e/processes.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const red = '\u001b[31mred'

const bank = defineAgent('bank', {
  pay: (_input: { amount: number }, context: AgentContext): never => {
    context.failPermanently(`the card is ${red}`)
  },
})
const failer = defineAgent('failer', {
  fail: ({ why }: { why: string }, context: AgentContext): never => context.failPermanently(why),
})
const buying = defineWorkflow<{ amount: number }>('buying', (job) => {
  job.step('pay', bank.pay, { amount: job.input.amount })
})
const parking = defineWorkflow('parking', (job) => {
  job.step('pay', bank.pay, { amount: 1 }, { onExhausted: 'park' })
})

let emulator: Emulator
let host: Host
let store: { readonly endpoint: string; readonly key: string }
const telemetry = new TelemetryRecorder()
const { terminal, said, noted, forget } = recordedTerminal()

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
  store = { endpoint: emulator.endpoint, key: emulator.key }
  host = await startHost({ ...store, agents: [bank, failer], telemetry })
})
afterAll(async () => {
  await host.stop()
  await emulator.close()
})
beforeEach(forget)

it('`status` and `watch` show why a step is parked, and the command that releases it', async () => {
  const job = await host.client.submit(parking, {}, { jobId: 'P-1' })
  await telemetry.waitFor('attention.raised', ({ jobId }) => jobId === 'P-1')
  expect(await status('P-1', store, terminal)).toBe(0)
  expect(said()).toContain('attention  parked: step pay: the card is')
  expect(said()).toContain('\n    stepward release P-1\n')
  expect(said()).toMatch(/^pay +Pending, parked /m)

  forget()
  const watching = watch('P-1', store, terminal)
  await expect.poll(said).toMatch(/ pay Pending \(parked: the card is .*→ .*: stepward release P-1$/s)
  await job.view()
  await host.client.cancel('P-1', 'seen')
  expect(await watching).toBe(1)
  expect(said().match(/stepward release/g), 'said once').toHaveLength(1)
})

it('`status` names the failed step once', async () => {
  const job = await host.client.submit(buying, { amount: 1 }, { jobId: 'E-1' })
  await expect(job.result()).rejects.toThrow()
  await status('E-1', store, terminal)
  expect(said()).toContain('attention  error: step pay: the card is')
})

it('commands print no escape sequence of an id, a reason or a message', async () => {
  const job = await host.client.submit(parking, {}, { jobId: red })
  await telemetry.waitFor('attention.raised', ({ jobId }) => jobId === red)
  await list({ ...store, limit: '100' }, terminal)
  await attention(store, terminal)
  await status(red, store, terminal)
  await host.client.cancel(red, red)
  await watch(job.jobId, store, terminal)
  expect(said()).not.toContain('\u001b')
  expect(said()).toContain(`job ${JSON.stringify(red).slice(1, -1)} Compensated`)
})

it('`resubmit` warns of new input for a step that may have acted, also in JSON and dry runs', async () => {
  const job = await host.client.submit(buying, { amount: 1 }, { jobId: 'B-1' })
  await expect(job.result()).rejects.toThrow(JobFailed)
  const file = join(await temporaryDirectory(), 'input.json')
  await writeFile(file, '{"amount":2}')
  const edited = { ...store, step: 'pay', why: 'w', input: file }
  const warning =
    /^stepward: warning: step pay of job B-1 may have acted: .* new idempotency key.* undone only if the job is undone$/

  expect(await decide('resubmit', 'B-1', { ...edited, dryRun: true }, terminal)).toBe(0)
  expect(noted, 'its only call was refused').toEqual([])
  const container = emulator.client().database('stepward').container('state')
  const step = container.item(stepDocumentId('B-1', 'pay'), 'B-1')
  await step.patch([{ op: 'set', path: '/mayHaveActed', value: true }])
  expect(await decide('resubmit', 'B-1', { ...edited, dryRun: true }, terminal)).toBe(0)
  expect(noted).toEqual([expect.stringMatching(warning)])
  forget()
  expect(await decide('resubmit', 'B-1', { ...store, why: 'w', dryRun: true }, terminal)).toBe(0)
  expect(noted, 'the same input keeps the key').toEqual([])
  forget()
  expect(await decide('resubmit', 'B-1', { ...edited, json: true }, terminal)).toBe(0)
  expect(JSON.parse(said().split('\n').at(-1) ?? '')).toMatchObject({
    done: ['B-1'],
    warnings: [expect.stringContaining('step pay of job B-1 may have acted')],
  })
  await status('B-1', store, terminal)
  expect(said()).toMatch(/^edit {7}pay input\.amount: 1 → 2$/m)
  await status('B-1', { ...store, json: true }, terminal)
  expect(JSON.parse(said().split('\n').at(-1) ?? '')).toMatchObject({
    audit: [{ edit: { changes: [{ stepId: 'pay', path: 'input.amount', before: '1', after: '2' }] } }],
  })
})

it('`triage` says who looks after a job and hides it, and `attention` shows this', async () => {
  for (const jobId of ['T-1', 'T-2', 'T-3']) {
    const job = await host.client.submit(
      defineWorkflow('triaging', (of) => {
        of.step('pay', bank.pay, { amount: 1 })
      }),
      {},
      { jobId },
    )
    await expect(job.result()).rejects.toThrow(JobFailed)
  }
  const only = { ...store, workflow: 'triaging' }
  await expect(triage('T-1', store, terminal)).rejects.toThrow('--assign, --note, --snooze, --clear')
  await expect(triage(undefined, { ...store, note: 'x' }, terminal)).rejects.toThrow('needs a JOB')
  const both = { ...store, note: 'x', clear: 'note' as const }
  await expect(triage('T-1', both, terminal)).rejects.toThrow('clear is "note", which excludes a new note')
  await expect(triage('T-1', { ...store, snooze: 'soon' }, terminal)).rejects.toThrow('snooze is "soon"')

  const assigned = { ...only, assign: 'ann', note: `asked ${red}`, by: 'bob' }
  expect(await triage(undefined, { ...assigned, dryRun: true }, terminal)).toBe(0)
  expect(said()).toContain('3 jobs would be triaged:')
  expect(await triage(undefined, assigned, terminal)).toBe(0)
  expect(await triage('T-2', { ...store, snooze: '2099-01-01' }, terminal).catch(String)).toContain('a year')
  forget()
  expect(await triage('T-2', { ...store, snooze: '2h', clear: 'assignee' }, terminal)).toBe(0)
  expect(said()).toBe('1 job triaged:\n  T-2')
  forget()
  expect(await attention(only, terminal)).toBe(1)
  expect(said()).toContain('  T-1: assigned to ann; asked \\u001b[31mred\n')
  expect(said()).toContain('2 jobs need attention; 1 snoozed: see --snoozed')
  expect(said()).not.toContain('T-2')
  expect(said()).toMatch(
    /stepward resubmit --workflow triaging --step pay --cause \w+ --not-snoozed --why TEXT/,
  )
  const again = { ...only, step: 'pay', why: 'w', dryRun: true }
  forget()
  await decide('resubmit', undefined, { ...again, notSnoozed: true }, terminal)
  expect(said()).toContain('2 jobs would be resubmitted:')
  expect(said()).not.toContain('T-2')
  forget()
  await decide('resubmit', undefined, { ...again, snoozed: true }, terminal)
  expect(said()).toBe('1 job would be resubmitted:\n  T-2')
  const onlyNot = decide('resubmit', undefined, { ...store, why: 'w', notSnoozed: true }, terminal)
  await expect(onlyNot).rejects.toThrow('needs a JOB, or a choice')
  forget()
  expect(await attention({ ...only, snoozed: true }, terminal)).toBe(1)
  expect(said()).toMatch(/T-2: snoozed until \d{4}-\d\d-\d\dT\d\d:\d\dZ; asked/)
  forget()
  expect(await attention({ ...only, assignee: 'bob' }, terminal)).toBe(0)
  expect(said()).toBe('nothing needs attention')
  await expect(attention({ ...only, assignee: 'bob', mine: true }, terminal)).rejects.toThrow('exclude')
  forget()
  await status('T-1', store, terminal)
  expect(said()).toMatch(/^triage {5}pay by bob at .*: assigned to ann; note: asked/m)
  expect(await triage('T-1', { ...store, clear: 'all' }, terminal)).toBe(0)
  expect(await host.client.list({ workflow: 'triaging' })).toMatchObject([
    {},
    { jobId: 'T-2' },
    { triage: null },
  ])
})

it('the command of a group acts on exactly the jobs of the group, also if one step fails for several causes', async () => {
  const failing = defineWorkflow<{ why: string }>('failing', (job) => {
    job.step('pay', failer.fail, { why: job.input.why })
  })
  for (const [jobId, why] of [
    ['C-1', 'card 17 is refused'],
    ['C-2', 'the bank is closed'],
    ['C-3', 'card 18 is refused'],
  ] as const) {
    const job = await host.client.submit(failing, { why }, { jobId })
    await expect(job.result()).rejects.toThrow(JobFailed)
  }
  await attention({ ...store, workflow: 'failing', json: true }, terminal)
  const groups = JSON.parse(said().split('\n').at(-1) ?? '') as AttentionGroup[]
  const [group] = groups
  expect(groups.map(({ jobIds }) => jobIds.toSorted())).toEqual([['C-1', 'C-3'], ['C-2']])
  const [, cause = ''] = / --cause (\w+) /.exec(group?.command ?? '') ?? []
  for (const kind of ['resubmit', 'cancel'] as const) {
    forget()
    await decide(kind, undefined, { ...store, cause, why: 'w', dryRun: true, json: true }, terminal)
    const { done } = JSON.parse(said().split('\n').at(-1) ?? '') as { done: string[] }
    expect(done.toSorted()).toEqual(['C-1', 'C-3'])
  }
  const wrong = { ...store, cause: 'refused', why: 'w', dryRun: true }
  await expect(decide('resubmit', undefined, wrong, terminal)).rejects.toThrow(
    '--cause "refused" must be 12 hexadecimal digits, as in a command of "stepward attention"',
  )
  await expect(decide('resubmit', 'C-1', { ...wrong, cause }, terminal)).rejects.toThrow('exclude each other')
  await expect(host.client.select({ cause: 'refused' }).list()).rejects.toThrow('the name of a cause')
})

import { defineAgent, defineWorkflow, startHost } from 'stepward'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { exitCodeOf } from '../../../src/cli/output/cli-error.js'
import { attention } from '../../../src/cli/commands/jobs/attention.js'
import { resend } from '../../../src/cli/commands/jobs/resend.js'
import { status } from '../../../src/cli/commands/jobs/status.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const greeter = defineAgent('greeter', { greet: (input: { name: string }) => `hello ${input.name}` })
const greeting = defineWorkflow<{ name: string }>('greeting', (job) => {
  job.step('greet', greeter.greet, { name: job.input.name })
})

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
})
afterAll(() => emulator.close())

it('`attention` and `status` show undelivered notices, and `resend` sends them again (R117)', async () => {
  const { endpoint, key } = emulator
  const store = { endpoint, key }
  const heard = new TelemetryRecorder()
  const host = await startHost({ ...store, roles: ['notifier'], telemetry: heard })
  onTestFinished(() => host.stop())
  const { terminal, said, forget } = recordedTerminal()
  for (const name of ['ann', 'bob']) {
    await host.client.submit(greeting, { name }, { jobId: name, replyTo: 'mailto:me@shop.example' })
  }
  await heard.waitFor('notice.failed', ({ isGivenUp }) => isGivenUp, 2)

  expect(await attention(store, terminal), 'something is').toBe(1)
  expect(said()).toMatch(/^not delivered: greeting: 2 jobs, the oldest .* ago$/m)
  const [, cause = ''] = /^ {4}stepward resend --workflow greeting --cause (\w+)$/m.exec(said()) ?? []
  expect(said()).toMatch(/\n0 jobs need attention; 2 notices were not delivered$/)
  forget()
  await attention({ ...store, state: 'Error' }, terminal)
  expect(said(), 'a state is one of jobs').toBe('nothing needs attention')
  forget()
  for (const filter of [{ agent: 'bank' }, { waitingFor: 'retry' }, { took: '1h' }]) {
    await attention({ ...store, ...filter }, terminal)
    expect(said(), 'the roles that do not run are told').toMatch(/\nno job is flagged$/)
    expect(said()).not.toContain('not delivered')
    forget()
  }
  await status(undefined, store, terminal)
  expect(said()).toMatch(/\n2 notices were not delivered: see "stepward attention"$/)
  forget()
  await status('ann', store, terminal)
  expect(said()).toMatch(/^notice {5}"received" was not delivered to mailto:me@shop\.example: replyTo$/m)
  for (const line of said().split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  forget()

  for (const [given, jobs] of [
    [cause, 2],
    ['0'.repeat(12), 0],
  ] as const) {
    await resend(undefined, { ...store, cause: given, dryRun: true, json: true }, terminal)
    const line = said().split('\n').at(-1) ?? ''
    expect((JSON.parse(line) as { jobIds: string[] }).jobIds).toHaveLength(jobs)
  }
  forget()
  expect(await resend('ann', { ...store, dryRun: true }, terminal)).toBe(0)
  expect(said()).toBe('1 notice was not delivered, and would be sent again:\n  ann')
  forget()
  expect(
    await resend(
      undefined,
      { ...store, workflow: 'greeting', by: 'ann', why: 'repaired', json: true },
      terminal,
    ),
  ).toBe(0)
  const resent = JSON.parse(said()) as { readonly jobIds: readonly string[] }
  expect({ ...resent, jobIds: resent.jobIds.toSorted() }).toEqual({
    isDryRun: false,
    notices: 2,
    warnings: [],
    jobIds: ['ann', 'bob'],
  })
  // The feed brings both to the notifier at once; neither can be delivered.
  await heard.waitFor('notice.failed', ({ isGivenUp }) => isGivenUp, 4)
  forget()
  await status('ann', store, terminal)
  expect(said()).toMatch(/^resend {5}"received" by ann at \S+: repaired$/m)
})

it.each([
  [undefined, {}, 2, /resend needs a JOB, or --workflow/],
  ['ann', { all: true }, 2, /exclude each other/],
  ['ann', { cause: '0'.repeat(12) }, 2, /exclude each other/],
  [undefined, { cause: 'refused' }, 2, /--cause "refused" must be 12 hexadecimal digits/],
  ['missing', {}, 3, /there is no job "missing"/],
])('`resend` of %s with %j is refused with exit code %i', async (jobId, options, code, says) => {
  const { endpoint, key } = emulator
  const { terminal, said } = recordedTerminal()
  const error = await resend(jobId, { endpoint, key, ...options }, terminal).catch(
    (refusal: unknown) => refusal,
  )
  expect(exitCodeOf(error)).toBe(code)
  expect(String(error)).toMatch(says)
  expect(said()).toBe('')
})

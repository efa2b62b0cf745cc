import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { list } from '../../../src/cli/commands/jobs/list.js'
import { decidePause, pauses, type PauseOptions } from '../../../src/cli/commands/jobs/pauses.js'
import { status } from '../../../src/cli/commands/jobs/status.js'
import { exitCodeOf } from '../../../src/cli/output/cli-error.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { startHost, type Host } from '../../../src/host/index.js'
import { CommandInvalid, defineWorkflow, type JobSummary } from '../../../src/sas/index.js'
import { shop } from '../../support/a-job.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const asking = defineWorkflow('asking', (job) => {
  const sure = job.ask('sure', { title: 'Sure?', completeWithin: '3d' })
  job.step('pay', shop.sell, { item: 'x' }, { after: [sure], undo: 'none' })
})

let emulator: Emulator
let host: Host
let store: { readonly endpoint: string; readonly key: string }
const { terminal, said, forget } = recordedTerminal()

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
  store = { endpoint: emulator.endpoint, key: emulator.key }
  host = await startHost({ ...store, roles: ['scheduler', 'supervisor', 'agents'], agents: [shop] })
  await submitted('P-1')
})
afterAll(async () => {
  await host.stop()
  await emulator.close()
})
beforeEach(forget)

async function submitted(jobId: string): Promise<void> {
  const job = await host.client.submit(asking, {}, { jobId })
  for await (const { why } of job.updates()) if (why.includes('waits for an answer')) return
}

const decided = (kind: 'pause' | 'resume', name: string, options: PauseOptions = {}, what = 'job') =>
  decidePause(kind, { what, name }, { ...store, by: 'ann', ...options }, terminal).catch(exitCodeOf)

async function listed(): Promise<readonly JobSummary[]> {
  forget()
  expect(await pauses({ ...store, limit: '100', json: true }, terminal)).toBe(0)
  return (JSON.parse(said()) as { readonly jobs: JobSummary[] }).jobs
}

describe('a pause of a job', () => {
  it('is listed with its author and reason, and shown by status and list', async () => {
    expect(await pauses({ ...store, limit: '100' }, terminal)).toBe(0)
    expect(said()).toBe('nothing is paused')
    expect(await decided('pause', 'P-1', { why: 'the bank is down', dryRun: true })).toBe(0)
    expect(said()).toContain('job P-1 would be paused')
    expect(await listed()).toEqual([])
    expect(await decided('pause', 'P-1', { why: 'the bank is down' })).toBe(0)
    expect(said()).toContain('job P-1 is paused')
    const paused = { by: 'ann', why: 'the bank is down' }
    expect(await listed()).toMatchObject([{ jobId: 'P-1', paused }])
    forget()
    expect(await pauses({ ...store, limit: '100' }, terminal)).toBe(0)
    expect(said()).toMatch(/^JOB +WORKFLOW +STATE +STEPS +PAUSED FOR +BY +WHY\n/u)
    expect(said()).toContain('the bank is down')
    forget()
    expect(await list({ ...store, limit: '100' }, terminal)).toBe(0)
    expect(said()).toContain('paused')
    forget()
    expect(await status('P-1', store, terminal)).toBe(0)
    expect(said()).toMatch(/It was paused by ann at [\dT:-]+Z: the bank is down\./u)
    expect((await host.client.get('P-1'))?.jobId).toBe('P-1')
    expect(await (await host.client.get('P-1'))?.view()).toMatchObject({ paused })
  })

  it('of a key is listed too', async () => {
    expect(await decided('pause', 'bank', { why: 'it is down' }, 'key')).toBe(0)
    forget()
    expect(await pauses({ ...store, limit: '100' }, terminal)).toBe(0)
    expect(said()).toMatch(/^PAUSED +NAME +FOR +BY +WHY\nkey +bank .* it is down/u)
    expect(await decided('resume', 'bank', {}, 'key')).toBe(0)
  })

  it('changes nothing a second time, and is refused for a job that does not exist', async () => {
    for (const dryRun of [true, false]) {
      forget()
      expect(await decided('pause', 'P-1', { why: 'again', dryRun })).toBe(0)
      expect(said()).toMatch(/^job P-1 was already paused by ann at [\dT:-]+Z: the bank is down$/u)
    }
    expect(await listed()).toMatchObject([{ jobId: 'P-1', paused: { why: 'the bank is down' } }])
    expect(await decided('pause', 'P-0', { why: 'again' })).toBe(3)
    expect(await decided('resume', 'P-0')).toBe(3)
  })

  it('needs a reason, and a job', async () => {
    expect(await decided('pause', 'P-1')).toBe(2)
    expect(await decided('pause', 'P-1', { why: 'x' }, 'shop')).toBe(2)
    await expect(host.client.pause('P-1', '')).rejects.toThrow(CommandInvalid)
    expect(await pauses({ ...store, limit: '0' }, terminal).catch(exitCodeOf)).toBe(2)
  })

  it('ends with resume, after which the job goes on with the answer that came meanwhile', async () => {
    await host.client.answer('P-1', 'sure', true, { by: 'cyd' })
    expect((await (await host.client.get('P-1'))?.view())?.state).toBe('Processing')
    forget()
    expect(await decided('resume', 'P-1', { json: true })).toBe(0)
    expect(JSON.parse(said())).toMatchObject({ command: 'resume', jobId: 'P-1', by: 'ann', isDryRun: false })
    await (await host.client.get('P-1'))?.result()
    const view = await (await host.client.get('P-1'))?.view()
    expect(view).toMatchObject({ state: 'Processed', paused: null })
    expect(view?.audit.map(({ command }) => command)).toEqual(['pause', 'resume'])
    expect(await decided('resume', 'P-1', { json: true })).toBe(0)
    expect(JSON.parse(said().split('\n').at(-1) ?? '')).toMatchObject({
      isChanged: false,
      note: 'job P-1 is not paused, so there is nothing to resume',
    })
    expect(await decided('pause', 'P-1', { why: 'too late' }), 'it has ended').toBe(4)
    expect(await listed()).toEqual([])
  })

  it('says when more jobs are paused than listed', async () => {
    for (const jobId of ['P-2', 'P-3']) {
      await submitted(jobId)
      await host.client.pause(jobId, 'later')
    }
    expect(await pauses({ ...store, limit: '1' }, terminal)).toBe(0)
    expect(said()).toContain('there are more paused jobs')
  })
})

describe('a second pause and a second resume', () => {
  it.each([
    ['workflow', 'asking'],
    ['agent', 'shop'],
    ['key', 'till'],
  ])('of a %s change nothing, and say so', async (what, name) => {
    expect(await decided('pause', name, { why: 'first' }, what)).toBe(0)
    forget()
    expect(await decided('pause', name, { why: 'second', by: 'bob' }, what)).toBe(0)
    expect(said()).toMatch(new RegExp(`^${what} ${name} was already paused by ann at \\S+Z: first$`, 'u'))
    expect(await decided('resume', name, {}, what)).toBe(0)
    forget()
    // Nothing remains of a key that no step has used.
    expect(await decided('resume', name, {}, what)).toBe(what === 'key' ? 3 : 0)
    if (what !== 'key') expect(said()).toBe(`${what} ${name} is not paused, so there is nothing to resume`)
  })

  it('of an unknown name tell a wrong name from a thing that is not paused', async () => {
    for (const what of ['job', 'workflow', 'agent', 'key'])
      expect(await decided('resume', 'nowhere', {}, what), what).toBe(3)
  })

  it('of a job that is paused with its workflow name the workflow', async () => {
    await submitted('P-9')
    expect(await decided('pause', 'asking', { why: 'all of them' }, 'workflow')).toBe(0)
    const job = await host.client.get('P-9')
    for await (const { paused } of job?.updates() ?? []) if (paused !== null) break
    forget()
    expect(await decided('pause', 'P-9', { why: 'this one' })).toBe(0)
    expect(said()).toContain('was already paused with workflow asking by ann')
    expect(await decided('resume', 'P-9'), 'only the workflow can be resumed').toBe(4)
    expect(await decided('resume', 'asking', {}, 'workflow')).toBe(0)
  })
})

it('a pause of a workflow or an agent says if its name is not known yet', async () => {
  for (const [what, known] of [
    ['workflow', 'asking'],
    ['agent', 'shop'],
  ] as const) {
    expect(await decided('pause', 'misspelt', { why: 'x' }, what)).toBe(0)
    expect(said().replaceAll(/\s+/gu, ' ')).toMatch(
      what === 'agent'
        ? /no running instance has agent "misspelt" yet/u
        : /no job of workflow "misspelt" yet/u,
    )
    forget()
    expect(await decided('pause', known, { why: 'x' }, what)).toBe(0)
    expect(said()).not.toContain('check the name')
    for (const name of ['misspelt', known]) expect(await decided('resume', name, {}, what)).toBe(0)
    forget()
  }
})

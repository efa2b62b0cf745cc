import { afterAll, beforeAll, expect, it } from 'vitest'
import { list } from '../../../src/cli/commands/jobs/list.js'
import { pageAfter, pageBefore } from '../../../src/operations/index.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { provision } from '../../../src/connection/internal.js'
import { VirtualClock } from '../../../src/platform/index.js'
import { defineAgent, defineWorkflow, type JobSummary } from '../../../src/sas/index.js'
import { CosmosJobQueries, CosmosStateStore, JobClient } from '../../../src/sas/internal.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const greeter = defineAgent('greeter', { greet: (input: { name: string }) => `hello ${input.name}` })
const greeting = defineWorkflow<{ name: string }>('greeting', (job) => {
  job.step('greet', greeter.greet, { name: job.input.name })
})

let emulator: Emulator
let store: { readonly endpoint: string; readonly key: string }
const ids = Array.from({ length: 23 }, (_, index) => `it's ${index}/ä 100%`)

beforeAll(async () => {
  emulator = await startEmulator({ port: 0, partitionCount: 2 })
  store = { endpoint: emulator.endpoint, key: emulator.key }
  await provision(store)
  const container = emulator.client().database('stepward').container('state')
  // The clock stands still, so all jobs share one millisecond.
  const parts = { clock: new VirtualClock(1_000_000), telemetry: new TelemetryRecorder() }
  const ports = { store: new CosmosStateStore({ container }), queries: new CosmosJobQueries({ container }) }
  const client = new JobClient({ ...ports, ...parts })
  for (const [index, jobId] of ids.entries()) {
    const tags = index < 3 ? { customer: 4711, even: index % 2 === 0 } : {}
    await client.submit(greeting, { name: 'you' }, { jobId, tags })
  }
})
afterAll(() => emulator.close())

it.each(['1000', '23', '10', '5'])(
  '`list` in pages of %s skips no job and repeats none, though all share a millisecond',
  async (limit) => {
    const { terminal, said, noted, forget } = recordedTerminal()
    const listed: string[] = []
    let pages = 0
    for (let before: string | undefined = ''; before !== undefined; pages += 1) {
      forget()
      const page = before === '' ? {} : { before }
      expect(await list({ ...store, limit, json: true, ...page }, terminal)).toBe(0)
      const [printed = ''] = said().split('\n')
      listed.push(...(JSON.parse(printed) as JobSummary[]).map(({ jobId }) => jobId))
      before = /^there are more jobs: run the same command with --before (\S+)$/.exec(noted[0] ?? '')?.[1]
    }
    expect(listed.toSorted()).toEqual(ids.toSorted())
    expect(pages).toBe(Math.ceil(23 / Number(limit)))
  },
)

it('the end of a page is a word that needs no quotes and leads to the next page', () => {
  const end = { submittedAt: '2026-11-21T19:00:00.123Z', jobId: "it's (5)* / ä!" }
  expect(pageAfter(end)).toMatch(/^[\w:.%/-]+$/)
  expect(pageBefore(pageAfter(end), 0)).toEqual({ after: end })
  expect(pageBefore('2h', 10_000_000)).toEqual({ before: new Date(2_800_000) })
  expect(pageBefore('2026-13-41T99:00:00Z/x', 0)).toBeNull()
  expect(pageBefore('2026-11-21T19:00:00.123Z/%E0', 0)).toBeNull()
})

it('`list --tag` lists jobs with all these tags, and shows the tags', async () => {
  const { terminal, said, forget } = recordedTerminal()
  const tag = ['customer=4711', 'even=true']
  expect(await list({ ...store, limit: '100', tag, json: true }, terminal)).toBe(0)
  const jobs = JSON.parse(said()) as JobSummary[]
  expect(jobs.map(({ jobId }) => jobId).toSorted()).toEqual([ids[0], ids[2]])
  forget()
  expect(await list({ ...store, limit: '100', tag: ['even=false'] }, terminal)).toBe(0)
  expect(said()).toMatch(/ATTENTION\s+TAGS/)
  expect(said()).toMatch(/=false$/m)
})

it('`list --text` and `--waiting-for` choose jobs by their names and by their steps', async () => {
  const { terminal, said, forget } = recordedTerminal()
  const listed = async (options: object) => {
    forget()
    expect(await list({ ...store, limit: '100', json: true, ...options }, terminal)).toBe(0)
    return (JSON.parse(said()) as JobSummary[]).length
  }
  expect(await listed({ text: 'GREETING' })).toBe(23)
  expect(await listed({ text: 'greetings' })).toBe(0)
  expect(await listed({ waitingFor: 'retry' })).toBe(0)
  expect(await listed({ took: '1ms' })).toBe(0)
})

it('`list --until` ends before a time, also with `--before`', async () => {
  const { terminal, said, forget } = recordedTerminal()
  const listed = async (times: { readonly until?: string; readonly before?: string }) => {
    forget()
    await list({ ...store, limit: '100', json: true, ...times }, terminal)
    return (JSON.parse(said().split('\n')[0] ?? '') as JobSummary[]).length
  }
  const [submitted, later] = ['1970-01-01T00:16:40.000Z', '1970-01-01T00:16:40.001Z']
  expect(await listed({ until: later })).toBe(23)
  expect(await listed({ until: submitted })).toBe(0)
  expect(await listed({ until: later, before: submitted })).toBe(0)
  expect(await listed({ until: submitted, before: later })).toBe(0)
})

it.each([
  [{ tag: ['customer'] }, '--tag "customer" must be NAME=VALUE, such as customer=4711'],
  [{ tag: ['customer='] }, '--tag: tags.customer is ""; it must be'],
  [{ tag: ['customer=1', 'customer=2'] }, '--tag customer has two values'],
  [{ until: 'soon' }, '--until "soon" must be an age such as 30m'],
])('`list` refuses %j', async (options, message) => {
  const { terminal } = recordedTerminal()
  await expect(list({ ...store, limit: '100', ...options }, terminal)).rejects.toThrow(message)
})

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
  for (const jobId of ids) await client.submit(greeting, { name: 'you' }, { jobId })
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

/**
 * `npm run bench:page` fills an embedded store with jobs, serves the page, and prints how long its lists take.
 * `-- --jobs 20000` sets the number of jobs.
 */
import { availableParallelism, loadavg } from 'node:os'
import process from 'node:process'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { connect, defineAgent, defineWorkflow } from '../../src/index.js'
import { createInProcessCosmos } from '../../src/emulator/index.js'
import { servePage } from '../../src/page/index.js'
import { shown } from './figure-table.js'

const { values } = parseArgs({ options: { jobs: { type: 'string', default: '100000' } } })
const jobs = Number(values.jobs)
const pageSize = 50
/** One of this number of jobs is of the rare workflow. */
const rareEach = 1_000

const shop = defineAgent('shop', { count: () => 1 })
const plain = (name: string) =>
  defineWorkflow(name, (job) => {
    job.step('count', shop.count, {}, { undo: 'none' })
  })
const [common, rare] = [plain('common'), plain('rare')]

const loadBefore = loadavg()[0] ?? 0
const embedded = createInProcessCosmos()
const client = await connect({ embedded })
for (let next = 0; next < jobs; next += 100) {
  const some = Array.from({ length: Math.min(100, jobs - next) }, (_, index) => next + index)
  await Promise.all(
    some.map((number) =>
      client.submit(number % rareEach === 0 ? rare : common, {}, { jobId: `J-${number}` }),
    ),
  )
}
const page = await servePage({
  settings: { embedded, provision: false },
  port: 0,
  by: 'bench',
  workflows: [],
  onOpened: () => undefined,
})
const { address } = page
const signedIn = await fetch(address, { redirect: 'manual' })
const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''

interface Page {
  readonly jobs: readonly unknown[]
  readonly next: string | null
}

/** Reads an address, and returns the answer and the time that it took. */
async function timed(path: string): Promise<{ readonly ms: number; readonly found: Page }> {
  const began = performance.now()
  const answer = await fetch(new URL(path, address), { headers: { cookie } })
  const found = (await answer.json()) as Page
  if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(found)}`)
  return { ms: performance.now() - began, found }
}

async function median(path: string): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < 7; count += 1) times.push((await timed(path)).ms)
  return times.sort((one, other) => one - other)[3] ?? Number.NaN
}

const first = await timed(`/api/jobs?limit=${pageSize}`)
const listed = await median(`/api/jobs?limit=${pageSize}`)
const filtered = await median(`/api/jobs?limit=${pageSize}&workflow=rare`)
const none = await median(`/api/jobs?limit=${pageSize}&state=Error`)
const counted = await median('/api/counts')
let seen = 0
let slowest = 0
for (let next: string | null = ''; next !== null;) {
  const before: string = next === '' ? '' : `&before=${encodeURIComponent(next)}`
  const { ms, found } = await timed(`/api/jobs?limit=500${before}`)
  seen += found.jobs.length
  slowest = Math.max(slowest, ms)
  next = found.next
}
if (seen !== jobs) throw new Error(`the pages have ${seen} of ${jobs} jobs`)
await page.close()
client.close()
await embedded.close()
const figures = [
  { name: `newest ${pageSize} of ${jobs}, the first time`, value: first.ms, unit: 'ms' },
  { name: `newest ${pageSize} of ${jobs}, again`, value: listed, unit: 'ms' },
  { name: 'one workflow of a thousandth of the jobs', value: filtered, unit: 'ms' },
  { name: 'a state without jobs', value: none, unit: 'ms' },
  { name: 'the numbers of the view Now', value: counted, unit: 'ms' },
  { name: 'the slowest of all pages of 500', value: slowest, unit: 'ms' },
]
process.stdout.write(`${shown(figures)}\n`)
process.stdout.write(
  `${availableParallelism()} cores, load of the machine before: ${loadBefore.toFixed(1)}\n`,
)

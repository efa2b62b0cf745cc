/**
 * `npm run soak:page -- --minutes 60` keeps four views of the page open in a Chromium while jobs cause 50 changes a
 * second. It prints the heaps of the views and of the server again and again. It also prints how long a change
 * takes to reach the screen, the first paint and the time to draw 1,000 steps. It exits with 1 if a heap still grows in the second half.
 */
import { loadavg } from 'node:os'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { defineAgent, defineWorkflow, startHost, systemClock } from '../../src/index.js'
import { createInProcessCosmos } from '../../src/emulator/index.js'
import { servePage } from '../../src/page/index.js'
import { median } from '../bench/figure.js'
import { anyBrowserPath, Browser, type Page } from '../support/browser.js'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    changes: { type: 'string', default: '50' },
    samples: { type: 'string', default: '18' },
  },
})
const [minutes, changes, samples] = [values.minutes, values.changes, values.samples].map(Number)
if (!(Number(minutes) > 0)) throw new RangeError(`--minutes ${values.minutes}: must be a number above 0`)
const path = await anyBrowserPath()
if (path === null) throw new Error('no Chromium runs on this machine')

/** A job of one step is submitted with its step, and both are written once more at its end. */
const changesOfJob = 4
const largeGraph = 1_000
/** Growth that is neither more than this share nor more than this size is noise. */
const [noisyShare, noisyBytes] = [0.15, 6e5]

const worker = defineAgent('worker', { work: () => ({ done: true }) })
const short = defineWorkflow('short', (job) => {
  job.step('work', worker.work, {}, { undo: 'none' })
})
const large = defineWorkflow('large', (job) => {
  const first = job.waitFor('start', { completeWithin: '1d' })
  for (let number = 1; number < largeGraph; number += 1) {
    job.step(`step-${number}`, worker.work, {}, { after: [first], undo: 'none' })
  }
})

const embedded = createInProcessCosmos()
const host = await startHost({ embedded, agents: [worker] })
await host.client.submit(large, null, { jobId: 'large' })
let address = ''
const served = await servePage({
  settings: { embedded, provision: false },
  port: 0,
  by: 'soak',
  workflows: [],
  onOpened: (next) => {
    address = next
  },
})
address = served.address
const { origin } = new URL(address)
const browser = await Browser.open(path)

/** Opens a view in a tab of its own, whose browser context signs in first. */
async function opened(view: string): Promise<Page> {
  const page = await browser.visit(address)
  await page.until(`document.querySelector('header nav')`)
  await page.begin(`${origin}${view}`)
  await page.until(`document.querySelector('h1') && document.querySelector('.live')?.textContent === 'live'`)
  return page
}

const views = ['/', '/jobs', '/tail', '/job?jobId=large']
const pages: Page[] = []
// Each address signs in one browser, and the next address follows.
for (const view of views) pages.push(await opened(view))
const [now, , tail, graph] = pages
if (now === undefined || tail === undefined || graph === undefined) throw new Error('a view is missing')

const drawn = await graph.until<number>(`(() => {
  if (document.querySelectorAll('.graph .node').length < ${largeGraph}) return 0
  const answer = performance.getEntriesByType('resource').find(({ name }) => name.includes('/api/job?'))
  return performance.now() - answer.responseEnd
})()`)
const paint = await now.evaluate<number>(
  `performance.getEntriesByType('paint').find(({ name }) => name === 'first-contentful-paint')?.startTime ?? -1`,
)

/** Submits a job, and resolves with the time until the view of changes shows it. */
async function toScreen(jobId: string): Promise<number> {
  const seen = tail?.until(`document.querySelector('.tail')?.textContent.includes(${JSON.stringify(jobId)})`)
  const began = systemClock.monotonic()
  await host.client.submit(short, null, { jobId, retainFor: '1m' })
  await seen
  return systemClock.monotonic() - began
}

const delays: number[] = []
const curve: number[][] = []
let submitted = 0
const interval = 1_000 / (Number(changes) / changesOfJob)
const until = systemClock.monotonic() + Number(minutes) * 60_000
const sampleEach = (Number(minutes) * 60_000) / Number(samples)
let nextSample = systemClock.monotonic() + sampleEach
process.stdout.write(`minutes  ${views.join('  ')}  server  (MB of heap)  elements  jobs\n`)
for (let due = systemClock.monotonic(); due < until; due += interval) {
  await systemClock.sleep(Math.max(0, due - systemClock.monotonic()))
  submitted += 1
  if (submitted % 13 === 0) delays.push(await toScreen(`seen-${submitted}-`))
  else await host.client.submit(short, null, { jobId: `J-${submitted}`, retainFor: '1m' })
  if (systemClock.monotonic() < nextSample) continue
  nextSample += sampleEach
  curve.push(await sampled())
}

async function sampled(): Promise<number[]> {
  const heaps: number[] = []
  let elements = 0
  for (const page of pages) {
    heaps.push(await page.heapBytes())
    elements += await page.evaluate<number>(`document.querySelectorAll('*').length`)
  }
  globalThis.gc?.()
  heaps.push(process.memoryUsage().heapUsed)
  const passed = (Number(minutes) - (until - systemClock.monotonic()) / 60_000).toFixed(1)
  const shown = heaps.map((bytes) => (bytes / 1e6).toFixed(1)).join('  ')
  process.stdout.write(`${passed}  ${shown}  ${elements}  ${submitted}\n`)
  return heaps
}

delays.sort((one, other) => one - other)
const p95 = delays[Math.ceil(delays.length * 0.95) - 1] ?? Number.NaN
process.stdout.write(
  `change to screen: p50 ${median(delays).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms of ${delays.length}\n` +
    `first paint ${paint.toFixed(0)} ms, ${largeGraph} steps drawn ${drawn.toFixed(0)} ms after their answer\n` +
    `load of the machine: ${(loadavg()[0] ?? 0).toFixed(1)}\n`,
)
const grown = [...views, 'server'].filter((_, index) => grows(curve.map((heaps) => heaps[index] ?? 0)))
const complaints = pages.flatMap((page) => page.complaints)
for (const name of grown) process.stdout.write(`the heap of ${name} still grows in the second half\n`)
for (const complaint of complaints) process.stdout.write(`${complaint}\n`)
await browser.close()
await served.close()
await host.stop()
await embedded.close()
process.exitCode = grown.length + complaints.length === 0 ? 0 : 1

/** Compares the medians of the third and of the last quarter. */
function grows(bytes: readonly number[]): boolean {
  const quarter = Math.floor(bytes.length / 4)
  if (quarter === 0) return false
  const [before, after] = [bytes.slice(2 * quarter, 3 * quarter), bytes.slice(-quarter)].map((part) =>
    median([...part]),
  )
  const growth = (after ?? 0) - (before ?? 0)
  return growth > noisyBytes && growth > noisyShare * (before ?? 0)
}

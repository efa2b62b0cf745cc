import process from 'node:process'
import { systemClock } from '../../../src/index.js'
import { median } from '../../bench/figure.js'
import { HeapCurve } from './heap-curve.js'
import type { OpenViews } from './open-views.js'
import { largeGraph, short, type ShownStore } from './shown-store.js'

/** A job of one step is submitted with its step, and both are written once more at its end. */
const changesOfJob = 4
const measuredEach = 13

interface Minutes {
  readonly minutes: number
  /** The changes of one second. */
  readonly changes: number
  readonly samples: number
  readonly print: (line: string) => void
}

/** Runs jobs at a steady rate, and samples the heaps. */
export async function someMinutes(
  { host }: ShownStore,
  opened: OpenViews,
  { minutes, changes, samples, print }: Minutes,
): Promise<HeapCurve> {
  await printFirstTimes(opened, print)
  const delays: number[] = []
  const tail = opened.pageOf('tail')
  const curve = new HeapCurve([...opened.names, 'server'], print)
  const began = systemClock.monotonic()
  const until = began + minutes * 60_000
  let submitted = 0
  let nextSample = began + (minutes * 60_000) / samples
  for (let due = began; due < until; due += (1_000 * changesOfJob) / changes) {
    await systemClock.sleep(Math.max(0, due - systemClock.monotonic()))
    submitted += 1
    const isMeasured = submitted % measuredEach === 0 && tail !== undefined
    const jobId = `${isMeasured ? 'seen' : 'J'}-${submitted}-`
    const seen = isMeasured
      ? tail.until(`document.querySelector('.tail')?.textContent.includes(${JSON.stringify(jobId)})`)
      : null
    const sentAt = systemClock.monotonic()
    await host.client.submit(short, null, { jobId, retainFor: '1m' })
    if (seen !== null) {
      await seen
      delays.push(systemClock.monotonic() - sentAt)
    }
    if (systemClock.monotonic() < nextSample) continue
    nextSample += (minutes * 60_000) / samples
    const heaps = await opened.heaps()
    globalThis.gc?.()
    const passed = ((systemClock.monotonic() - began) / 60_000).toFixed(1)
    curve.add(passed, [...heaps, process.memoryUsage().heapUsed], submitted * changesOfJob)
  }
  delays.sort((one, other) => one - other)
  const p95 = delays[Math.ceil(delays.length * 0.95) - 1] ?? Number.NaN
  print(`change to screen: p50 ${median(delays).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms of ${delays.length}`)
  return curve
}

async function printFirstTimes(opened: OpenViews, print: (line: string) => void): Promise<void> {
  const paint = await opened
    .pageOf('now')
    ?.evaluate<number>(
      `performance.getEntriesByType('paint').find(({ name }) => name === 'first-contentful-paint')?.startTime ?? -1`,
    )
  const { drawnMs } = opened
  if (paint !== undefined) print(`first paint ${paint.toFixed(0)} ms`)
  if (drawnMs !== null) print(`${largeGraph} steps drawn ${drawnMs.toFixed(0)} ms after their answer`)
}

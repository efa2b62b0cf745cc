import process from 'node:process'
import { systemClock } from '../../../src/index.js'
import { CopiedJobs } from './copied-jobs.js'
import { HeapCurve } from './heap-curve.js'
import type { OpenViews } from './open-views.js'
import type { ShownStore } from './shown-store.js'

/** The time that one change stands for: 50 changes a second. */
const msOfChange = 20

interface Day {
  /** The number of changes. */
  readonly total: number
  readonly samples: number
  readonly print: (line: string) => void
}

/**
 * Sends changes as fast as the tabs handle them. While the tabs handle one step of the time, the next one is written, so
 * at most two are under way.
 */
export async function aDay(
  store: ShownStore,
  opened: OpenViews,
  { total, samples, print }: Day,
): Promise<HeapCurve> {
  const jobs = await CopiedJobs.open(store)
  // The roles would decide nothing about the copies, but read all of them.
  await store.host.stop()
  // The last changes of the templates are still on their way.
  await systemClock.sleep(1_000)
  const first = await opened.handled(0, 0)
  const before = Math.max(...first.map(({ received }) => received))
  const curve = new HeapCurve([...opened.names, 'server'], print)
  const began = systemClock.monotonic()
  let told = before
  let sampled = 0
  let handling: Promise<unknown> = Promise.resolve()
  for (let number = 0; told - before < total; number += 1) {
    const changed = await jobs.step(number)
    await handling
    store.clock.move(changed * msOfChange)
    told += changed
    handling = opened.handled(told, changed * msOfChange)
    if (told - before < ((sampled + 1) * total) / samples) continue
    sampled += 1
    await handling
    const heaps = await opened.heaps()
    globalThis.gc?.()
    const hours = (((told - before) * msOfChange) / 3_600_000).toFixed(2)
    curve.add(`${hours}h`, [...heaps, process.memoryUsage().heapUsed], told - before)
  }
  const last = await opened.handled(told, 0)
  const seconds = (systemClock.monotonic() - began) / 1_000
  for (const [index, { received, asked, timers }] of last.entries()) {
    const name = opened.names[index] ?? ''
    print(`${name}: ${received - before} changes, ${asked} requests, ${timers} timers`)
  }
  print(
    `${told - before} changes in ${seconds.toFixed(0)} s, ${((told - before) / seconds).toFixed(0)} a second`,
  )
  return curve
}

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { fill } from './filled.js'
import type { RecordedJob } from './recorded-job.js'

export type Figures = Readonly<Record<string, number>>

/** A phase of the benchmark. Each runs in a process of its own, whose memory it measures. */
export interface Phase {
  readonly name: 'fill' | 'open'
  readonly dataDirectory: string
  readonly jobs: number
  readonly recorded: RecordedJob
}

export function run(phase: Phase): Promise<Figures> {
  return phase.name === 'fill' ? filling(phase) : opening(phase)
}

/** Fills a new store. The rate of the last jobs shows what those before them cost. */
async function filling({ dataDirectory, jobs, recorded }: Phase): Promise<Figures> {
  const before = heapBytes()
  const cosmos = createInProcessCosmos({ dataDirectory })
  const tenth = Math.ceil(jobs / 10)
  const first = await fill(cosmos.engine, recorded, { from: 0, to: tenth })
  await fill(cosmos.engine, recorded, { from: tenth, to: jobs - tenth })
  const last = await fill(cosmos.engine, recorded, { from: jobs - tenth, to: jobs })
  const heap = heapBytes() - before
  const resident = process.memoryUsage.rss()
  await cosmos.close()
  return { first, last, heap, resident, disk: diskBytes(dataDirectory) }
}

/** Opens the filled store, asks for its newest jobs, and compares its rate with that of an empty store. */
async function opening({ dataDirectory, jobs, recorded }: Phase): Promise<Figures> {
  const before = heapBytes()
  const started = performance.now()
  const cosmos = createInProcessCosmos({ dataDirectory })
  const start = performance.now() - started
  const heap = heapBytes() - before
  const first = await measured(() => newest(cosmos))
  const again = await measured(() => newest(cosmos))
  const indexed = heapBytes() - before
  const counted = await measured(() => counts(cosmos))
  const countedAgain = await measured(() => counts(cosmos))
  const more = Math.min(1_000, jobs)
  const emptyDirectory = mkdtempSync(join(tmpdir(), 'stepward-growth-'))
  const empty = createInProcessCosmos({ dataDirectory: emptyDirectory })
  const rates: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const places = { from: jobs + round * more, to: jobs + (round + 1) * more }
    const alone = await fill(empty.engine, recorded, places)
    rates.push((await fill(cosmos.engine, recorded, places)) / alone)
  }
  await empty.close()
  rmSync(emptyDirectory, { recursive: true })
  const afterWrites = await measured(() => newest(cosmos))
  const resident = process.memoryUsage.rss()
  await cosmos.close()
  const ratio = rates.sort((one, other) => one - other)[1] ?? Number.NaN
  return {
    start,
    heap,
    indexed,
    ratio,
    resident,
    newestFirst: first.took,
    newestFirstTurn: first.longestTurn,
    newestAgain: again.took,
    newestAfterWrites: afterWrites.took,
    newestAfterWritesTurn: afterWrites.longestTurn,
    counts: counted.took,
    countsTurn: counted.longestTurn,
    countsAgain: countedAgain.took,
    countsAgainTurn: countedAgain.longestTurn,
  }
}

/** Lists the newest jobs as `stepward list` does. */
async function newest(cosmos: InProcessCosmos): Promise<void> {
  const rows = await answer(
    cosmos,
    "SELECT TOP 50 * FROM c WHERE c.type = 'sas.job' ORDER BY c.submittedAtMs DESC",
  )
  if (rows.length === 0) throw new Error('the store has no jobs')
}

/** Counts the jobs that ended well, as `stepward status` does. */
async function counts(cosmos: InProcessCosmos): Promise<void> {
  const [count] = await answer(
    cosmos,
    "SELECT VALUE COUNT(1) FROM c WHERE c.type = 'sas.job' AND c.processState = 'Processed'",
  )
  if (typeof count !== 'number' || count === 0) throw new Error('the store has no ended jobs')
}

async function answer(cosmos: InProcessCosmos, query: string): Promise<readonly unknown[]> {
  const state = cosmos.client().database('stepward').container('state')
  const { resources } = await state.items.query<unknown>(query).fetchAll()
  return resources
}

/**
 * Returns the milliseconds that work takes, and those of the longest turn of the event loop meanwhile. In a
 * turn, the time counts for which this process had a processor, because the machine may have other work.
 */
async function measured(
  work: () => Promise<void>,
): Promise<{ readonly took: number; readonly longestTurn: number }> {
  const started = performance.now()
  let longestTurn = 0
  let before = started
  let processorBefore = processorTime()
  let isDone = false
  const look = (): void => {
    const [now, processorNow] = [performance.now(), processorTime()]
    longestTurn = Math.max(longestTurn, Math.min(now - before, processorNow - processorBefore))
    before = now
    processorBefore = processorNow
    if (!isDone) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isDone = true
  look()
  return { took: performance.now() - started, longestTurn }
}

function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** The memory of all that is reachable. Needs `node --expose-gc`. */
function heapBytes(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function diskBytes(directory: string): number {
  return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
}

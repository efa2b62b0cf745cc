import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { KeptSummaries } from '../../../src/emulator/indexes/summaries/kept-summaries.js'
import { fewestDocuments } from '../../../src/emulator/indexes/summary-writer.js'
import { systemClock } from '../../../src/platform/index.js'
import { median } from '../figure.js'
import { fill, kindOf, totalOf, type Filled, type Population } from './filled.js'
import { heapBytes } from './measured.js'
import { asked, idle, prepared } from './questions.js'
import type { RecordedJobs } from './recorded-job.js'

export type Figures = Readonly<Record<string, number>>

/** A phase of the benchmark. Each runs in a process of its own, whose memory it measures. */
export interface Phase {
  readonly name: 'fill' | 'open'
  readonly dataDirectory: string
  readonly population: Population
  /** Whether most ended jobs are written in one transaction, because a million of them would take an hour. */
  readonly isShort?: boolean | undefined
  readonly recorded: RecordedJobs
  /** The time for which roles without work are measured. Default: 10 s. */
  readonly idleMs?: number
}

export function run(phase: Phase): Promise<Figures> {
  return phase.name === 'fill' ? filling(phase) : opening(phase)
}

/** Fills a new store. The rate of the last jobs shows what those before them cost. */
async function filling({ dataDirectory, population, recorded, isShort }: Phase): Promise<Figures> {
  const before = heapBytes()
  const cosmos = createInProcessCosmos({ dataDirectory })
  await prepared(cosmos)
  const total = totalOf(population)
  const tenth = Math.ceil(total / (isShort === true ? 100 : 10))
  const kind = (number: number) => kindOf(number, population)
  const first = await fill(cosmos.engine, recorded, { from: 0, to: tenth, kind })
  await fill(cosmos.engine, recorded, { from: tenth, to: total - tenth, kind, isShort })
  const last = await fill(cosmos.engine, recorded, { from: total - tenth, to: total, kind })
  const heap = heapBytes() - before
  const resident = process.memoryUsage.rss()
  await summarized(cosmos)
  await cosmos.close()
  return { first: first.rate, last: last.rate, heap, resident, disk: diskBytes(dataDirectory) }
}

/**
 * Waits until the summaries of all blocks are on disk, as in a store that rests for a moment. Only this fill writes 30 blocks a
 * second, and blocks without a summary would be read as a whole after the next start.
 */
async function summarized({ engine }: InProcessCosmos): Promise<void> {
  const container = engine.container('stepward', 'state')
  if (container.documentCount < fewestDocuments) return
  const summaries = KeptSummaries.of(container)
  while (summaries?.hasUnsaved === true) await systemClock.sleep(100)
}

/** Opens the filled store, asks what operators ask, and compares its rate and its rest with those of an empty store. */
async function opening(phase: Phase): Promise<Figures> {
  const { dataDirectory, population, recorded, idleMs = 10_000 } = phase
  const total = totalOf(population)
  const emptyDirectory = mkdtempSync(join(tmpdir(), 'stepward-growth-'))
  const empty = createInProcessCosmos({ dataDirectory: emptyDirectory })
  await prepared(empty)
  // The first questions of a process load the SDK and the parser of queries.
  await fill(empty.engine, recorded, { from: total, to: total + 10 })
  const ofEmpty = await asked(empty, 'Empty')
  const before = heapBytes()
  const started = performance.now()
  const cosmos = createInProcessCosmos({ dataDirectory })
  const start = performance.now() - started
  const heap = heapBytes() - before
  const answers = await asked(cosmos)
  const indexed = heapBytes() - before
  const compared = await comparison(empty, cosmos, phase)
  const afterWrites = await asked(cosmos, 'AfterWrites')
  await summarized(cosmos)
  const [restEmpty, rest] = [await idle(empty, idleMs), await idle(cosmos, idleMs)]
  const heapAtEnd = heapBytes() - before
  const resident = process.memoryUsage.rss()
  await empty.close()
  await cosmos.close()
  rmSync(emptyDirectory, { recursive: true })
  return {
    ...{ ...ofEmpty, ...answers, ...afterWrites, ...compared },
    ...{ start, heap, indexed, heapAtEnd, resident },
    ...{ beginEmpty: restEmpty.begin, begin: rest.begin, restEmpty: restEmpty.rest, rest: rest.rest },
  }
}

/** Writes jobs into the empty and the full store in turns. */
async function comparison(
  empty: InProcessCosmos,
  full: InProcessCosmos,
  { recorded, population }: Phase,
): Promise<Figures> {
  const more = Math.min(1_000, population.jobs)
  const rounds: { readonly ofEmpty: Filled; readonly ofFull: Filled }[] = []
  for (let round = 0; round < 5; round += 1) {
    const from = totalOf(population) + 10 + round * more
    const places = { from, to: from + more }
    const ofEmpty = await fill(empty.engine, recorded, places)
    rounds.push({ ofEmpty, ofFull: await fill(full.engine, recorded, places) })
  }
  const middle = (of: (round: (typeof rounds)[number]) => number): number => median(rounds.map(of))
  return {
    ratio: middle(({ ofFull, ofEmpty }) => ofFull.rate / ofEmpty.rate),
    ratioOfP50: middle(({ ofFull, ofEmpty }) => ofFull.p50 / ofEmpty.p50),
    p50: middle(({ ofFull }) => ofFull.p50),
    p50Empty: middle(({ ofEmpty }) => ofEmpty.p50),
    processor: middle(({ ofFull }) => ofFull.processor),
    processorEmpty: middle(({ ofEmpty }) => ofEmpty.processor),
  }
}

function diskBytes(directory: string): number {
  return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
}

import { performance } from 'node:perf_hooks'
import type { CosmosEngine } from '../../../src/emulator/internal.js'
import { median } from '../figure.js'
import { documentsOf, lastVersions, type JobKind, type RecordedJobs } from './recorded-job.js'
import { processorMs } from './measured.js'

/** The number of jobs whose next transaction waits for the disk. */
const inFlight = 200

/** The numbers of jobs to write, and how many of them are not ended. */
export interface Population {
  readonly jobs: number
  readonly waiting: number
  readonly flagged: number
}

/** What writing some jobs took. */
export interface Filled {
  /** Jobs per second. */
  readonly rate: number
  /** The middle time from a transaction to its place on disk, in ms. */
  readonly p50: number
  /** The processor time of a job in ms, with that of the benchmark itself. */
  readonly processor: number
}

export function totalOf({ jobs, waiting, flagged }: Population): number {
  return jobs + waiting + flagged
}

/** Returns the kind of a job by its number. Those that have not ended are spread over all of them. */
export function kindOf(number: number, population: Population): JobKind {
  const isOneOf = (count: number, shift: number): boolean => {
    if (count === 0) return false
    const each = Math.floor(totalOf(population) / count)
    return number % each === shift % each && number < each * count
  }
  if (isOneOf(population.flagged, 1)) return 'flagged'
  return isOneOf(population.waiting, 3) ? 'waiting' : 'ended'
}

/** Writes every transaction of jobs `from` to `to`. */
export async function fill(
  engine: CosmosEngine,
  recorded: RecordedJobs,
  {
    from,
    to,
    kind = () => 'ended',
    isShort = false,
  }: {
    readonly from: number
    readonly to: number
    readonly kind?: (number: number) => JobKind
    /** Whether ended jobs are written in one transaction, with only the last versions of their documents. */
    readonly isShort?: boolean | undefined
  },
): Promise<Filled> {
  const container = engine.container('stepward', 'state')
  const { ended } = recorded.transactions
  const transactions = { ...recorded.transactions, ended: isShort ? [lastVersions(ended)] : ended }
  let next = from
  const times: number[] = []
  const [started, processorBefore] = [performance.now(), processorMs()]
  const run = async (): Promise<void> => {
    while (next < to) {
      const number = next
      next += 1
      for (const transaction of transactions[kind(number)]) {
        const documents = documentsOf(transaction, number)
        const key = [String(documents[0]?.['pk'])]
        const began = performance.now()
        container.batch(
          key,
          documents.map((document) => ({ kind: 'upsert', document })),
        )
        await engine.settled()
        if (times.length < 50_000) times.push(performance.now() - began)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(inFlight, to - from) }, run))
  return {
    rate: ((to - from) * 1_000) / (performance.now() - started),
    p50: median(times),
    processor: (processorMs() - processorBefore) / (to - from),
  }
}

/**
 * `npm run soak -- --minutes 60` runs jobs at half the best rate of this machine, in one process with a store
 * on disk. `--rate 300` sets the jobs a second instead. Ended jobs are kept for a minute. It prints memory, latency,
 * open files and disk as a curve, and exits with 1 if one of them still grows in the second half. `--json` prints the
 * samples.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { startHost, systemClock, type JobClient } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { median } from '../bench/figure.js'
import { begin, together } from '../bench/jobs/load.js'
import { noop, worker } from '../bench/jobs/workload.js'
import { curve, growing, type Sample } from './soak/curve.js'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const minutes = Number(values.minutes)
if (!(minutes >= 1)) throw new RangeError(`--minutes ${values.minutes}: must be a number of at least 1`)
if (values.rate !== undefined && !(Number(values.rate) >= 1))
  throw new RangeError(`--rate ${values.rate}: must be a number of jobs a second`)

const slots = 256
const calibration = { count: 4_000, atOnce: 200 }
const sampleCount = 30
const retainFor = '1m'

const dataDirectory = mkdtempSync(join(tmpdir(), 'stepward-soak-'))
const cosmos = createInProcessCosmos({ dataDirectory })
const host = await startHost({ embedded: cosmos, agents: [worker], slots })
try {
  await together(host.client, noop, calibration)
  const best = calibration.count / ((await together(host.client, noop, calibration)) / 1_000)
  const perSecond = Math.floor(Number(values.rate ?? best / 2))
  process.stderr.write(`${perSecond} jobs a second for ${minutes} minutes\n`)
  const samples = await soaked(host.client, perSecond)
  process.stdout.write(values.json ? `${JSON.stringify(samples)}\n` : `${curve(samples)}\n`)
  const problems = growing(samples)
  for (const problem of problems) process.stdout.write(`GROWS: ${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  await host.stop()
  await cosmos.close()
  rmSync(dataDirectory, { recursive: true })
}

/** Submits jobs at this rate, and samples the process at equal intervals. */
async function soaked(client: JobClient, perSecond: number): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  const intervalMs = (minutes * 60_000) / sampleCount
  const startedAt = performance.now()
  let [submitted, failed] = [0, 0]
  for (let index = 1; index <= sampleCount; index += 1) {
    const took: number[] = []
    const running: Promise<unknown>[] = []
    while (performance.now() - startedAt < index * intervalMs) {
      const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1_000)
      for (; submitted < due; submitted += 1) {
        const ending = begin(client, noop, { retainFor })
          .then((end) => end())
          .then(
            (ms) => took.push(ms),
            () => (failed += 1),
          )
        running.push(ending)
      }
      await systemClock.sleep(5)
    }
    await Promise.all(running)
    samples.push(sampled(samples.length + 1, took, failed))
    process.stderr.write('.')
  }
  process.stderr.write('\n')
  return samples
}

function sampled(index: number, took: readonly number[], failed: number): Sample {
  const sorted = [...took].sort((one, other) => one - other)
  const { rss, heapUsed, external } = process.memoryUsage()
  const toMiB = (bytes: number): number => bytes / 2 ** 20
  return {
    minute: (index * minutes) / sampleCount,
    jobs: took.length,
    failed,
    p50Ms: median(took),
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    residentMiB: toMiB(rss),
    heapMiB: toMiB(heapUsed + external),
    diskMiB: toMiB(bytesIn(dataDirectory)),
    openFiles: openFiles(),
  }
}

function bytesIn(directory: string): number {
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true })
  return paths
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

/** Returns the number of open files, or 0 on a system that does not list them. */
function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}

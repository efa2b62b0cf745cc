/**
 * `npm run bench:growth` fills a data directory with ended jobs, opens it again, and prints what a job costs
 * in memory and on disk, and what it costs later work. `-- --jobs 20000` sets the number of jobs.
 */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { shown } from './figure-table.js'
import type { Figure } from './figure.js'
import type { Figures, Phase } from './growth/phases.js'
import { recordedJob } from './growth/recorded-job.js'

const { values } = parseArgs({ options: { jobs: { type: 'string', default: '20000' } } })
const jobs = Number(values.jobs)
const loadBefore = loadavg()[0] ?? 0
const recorded = await recordedJob()
const dataDirectory = mkdtempSync(join(tmpdir(), 'stepward-growth-'))
const filled = await inProcess({ name: 'fill', dataDirectory, jobs, recorded })
const opened = await inProcess({ name: 'open', dataDirectory, jobs, recorded })
rmSync(dataDirectory, { recursive: true })
process.stdout.write(`${shown(figures())}\n`)
process.stdout.write(
  `${availableParallelism()} cores, load of the machine before: ${loadBefore.toFixed(1)}\n`,
)

/** Runs a phase in a new process. */
function inProcess(phase: Phase): Promise<Figures> {
  const program = fileURLToPath(new URL('growth/phase-process.js', import.meta.url))
  const child = fork(program, { execArgv: ['--expose-gc', '--max-old-space-size=8000'] })
  return new Promise((resolve, reject) => {
    child.once('message', (message) => {
      resolve(message as Figures)
    })
    child.once('error', reject)
    child.once('exit', (code) => {
      reject(new Error(`the phase ${phase.name} ended with ${String(code)}`))
    })
    child.send(phase)
  })
}

function figures(): readonly Figure[] {
  const of = (given: Figures, name: string, by = 1): number => (given[name] ?? Number.NaN) / by
  const kilobytes = jobs * 1_024
  const megabytes = 1_024 * 1_024
  return [
    { name: 'heap per job, after the writes', value: of(filled, 'heap', kilobytes), unit: 'KB' },
    { name: 'heap per job, after a start', value: of(opened, 'heap', kilobytes), unit: 'KB' },
    { name: 'heap per job, after a query', value: of(opened, 'indexed', kilobytes), unit: 'KB' },
    { name: 'heap after the writes', value: of(filled, 'heap', megabytes), unit: 'MiB' },
    { name: 'resident after the writes', value: of(filled, 'resident', megabytes), unit: 'MiB' },
    { name: 'resident at the end', value: of(opened, 'resident', megabytes), unit: 'MiB' },
    { name: 'disk per job', value: of(filled, 'disk', kilobytes), unit: 'KB' },
    { name: 'start', value: of(opened, 'start', 1_000), unit: 's' },
    { name: 'newest 50, the first time', value: of(opened, 'newestFirst'), unit: 'ms' },
    { name: 'newest 50, again', value: of(opened, 'newestAgain'), unit: 'ms' },
    { name: 'newest 50, after the writes below', value: of(opened, 'newestAfterWrites'), unit: 'ms' },
    { name: 'number of ended jobs, the first time', value: of(opened, 'counts'), unit: 'ms' },
    { name: 'number of ended jobs, again', value: of(opened, 'countsAgain'), unit: 'ms' },
    { name: 'longest turn, newest 50, the first time', value: of(opened, 'newestFirstTurn'), unit: 'ms' },
    { name: 'longest turn, after the writes', value: of(opened, 'newestAfterWritesTurn'), unit: 'ms' },
    { name: 'longest turn, number, the first time', value: of(opened, 'countsTurn'), unit: 'ms' },
    { name: 'longest turn, number, again', value: of(opened, 'countsAgainTurn'), unit: 'ms' },
    { name: 'jobs written, the first tenth', value: of(filled, 'first'), unit: '/s' },
    { name: 'jobs written, the last tenth', value: of(filled, 'last'), unit: '/s' },
    { name: 'rate ÷ rate of an empty store', value: of(opened, 'ratio'), unit: '×' },
  ]
}

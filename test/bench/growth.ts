/**
 * `npm run bench:growth` fills a data directory with ended jobs, opens it again, and prints what a job costs
 * in memory and on disk, and what it costs later work. `-- --jobs 20000 --waiting 200 --flagged 10` sets the numbers
 * of jobs. `--directory DIR` keeps the data directory, and fills it only if it does not exist.
 * `--short` writes most ended jobs in one transaction each, which a million of them need.
 * `--charges 1000,10000` prints instead what the questions of operators and roles cost at these numbers of ended jobs.
 */
import { fork } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { shown } from './figure-table.js'
import type { Figure } from './figure.js'
import { chargeTable } from './growth/charges.js'
import { totalOf } from './growth/filled.js'
import type { Figures, Phase } from './growth/phases.js'
import { recordedJobs } from './growth/recorded-job.js'

const count = (standard: string) => ({ type: 'string', default: standard }) as const
const { values } = parseArgs({
  options: {
    jobs: count('20000'),
    waiting: count('200'),
    flagged: count('10'),
    directory: { type: 'string' },
    short: { type: 'boolean', default: false },
    charges: { type: 'string' },
  },
})
const population = {
  jobs: Number(values.jobs),
  waiting: Number(values.waiting),
  flagged: Number(values.flagged),
}
const loadBefore = loadavg()[0] ?? 0
const recorded = await recordedJobs()
const { directory, short: isShort, charges } = values
if (charges !== undefined) {
  process.stdout.write(`${await chargeTable(recorded, charges.split(',').map(Number))}\n`)
  process.exit()
}
const dataDirectory = directory ?? mkdtempSync(join(tmpdir(), 'stepward-growth-'))
const isFilled = directory !== undefined && existsSync(directory)
const filled = isFilled ? {} : await inProcess({ name: 'fill', dataDirectory, population, recorded, isShort })
const opened = await inProcess({ name: 'open', dataDirectory, population, recorded })
if (directory === undefined) rmSync(dataDirectory, { recursive: true })
process.stdout.write(`${shown(figures())}\n`)
process.stdout.write(
  `${availableParallelism()} cores, load of the machine before: ${loadBefore.toFixed(1)}, at the end: ` +
    `${(loadavg()[0] ?? 0).toFixed(1)}\n`,
)

/** Runs a phase in a new process. */
function inProcess(phase: Phase): Promise<Figures> {
  const program = fileURLToPath(new URL('growth/phase-process.js', import.meta.url))
  const child = fork(program, { execArgv: [...process.execArgv, '--expose-gc', '--max-old-space-size=8000'] })
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
  const kilobytes = totalOf(population) * 1_024
  const megabytes = 1_024 * 1_024
  const atMost = (limit: number) => ({ target: { atMost: limit } })
  const ms = (name: string, key: string): Figure => ({ name, value: of(opened, key), unit: 'ms' })
  return [
    { name: 'disk per job', value: of(filled, 'disk', kilobytes), unit: 'KB', ...atMost(5) },
    { name: 'start', value: of(opened, 'start', 1_000), unit: 's', ...atMost(2) },
    { name: 'heap after the writes', value: of(filled, 'heap', megabytes), unit: 'MiB', ...atMost(356) },
    { name: 'heap after a start', value: of(opened, 'heap', megabytes), unit: 'MiB', ...atMost(356) },
    {
      name: 'heap after the first questions',
      value: of(opened, 'indexed', megabytes),
      unit: 'MiB',
      ...atMost(356),
    },
    { name: 'heap at the end', value: of(opened, 'heapAtEnd', megabytes), unit: 'MiB', ...atMost(356) },
    { name: 'resident after the writes', value: of(filled, 'resident', megabytes), unit: 'MiB' },
    { name: 'resident at the end', value: of(opened, 'resident', megabytes), unit: 'MiB' },
    ...lists().flatMap(([name, key, target]) => [
      ms(`${name}, the first of a process, empty store`, `${key}FirstEmpty`),
      { ...ms(`${name}, the first time`, `${key}First`), ...(target && { target }) },
      { ...ms(`${name}, again`, `${key}Again`), ...(target && { target }) },
      { ...ms(`${name}, after the writes below`, `${key}FirstAfterWrites`), ...(target && { target }) },
      ms(`longest turn, ${name}, the first time`, `${key}FirstTurn`),
    ]),
    { name: 'jobs written, the first part', value: of(filled, 'first'), unit: '/s' },
    { name: 'jobs written, the last part', value: of(filled, 'last'), unit: '/s' },
    {
      name: 'rate ÷ rate of an empty store',
      value: of(opened, 'ratio'),
      unit: '×',
      target: { atLeast: 0.9 },
    },
    {
      name: 'p50 of a write ÷ that of an empty store',
      value: of(opened, 'ratioOfP50'),
      unit: '×',
      ...atMost(1.1),
    },
    ms('p50 of a write, empty store', 'p50Empty'),
    ms('p50 of a write', 'p50'),
    ms('processor time of a job, with the benchmark, empty store', 'processorEmpty'),
    ms('processor time of a job, with the benchmark', 'processor'),
    { name: 'processor time of the first 20 s, empty store', value: of(opened, 'beginEmpty'), unit: 's' },
    { name: 'processor time of the first 20 s', value: of(opened, 'begin'), unit: 's' },
    { name: 'idle, empty store', value: of(opened, 'restEmpty'), unit: '% of a core' },
    { name: 'idle', value: of(opened, 'rest'), unit: '% of a core' },
  ]
}

/** The questions of operators, with their names in the figures. */
function lists(): readonly (readonly [name: string, key: string, target?: { readonly atMost: number }])[] {
  return [
    ['newest 50', 'newest', { atMost: 30 }],
    ['flagged jobs', 'flagged', { atMost: 30 }],
    ['numbers of jobs by state', 'counts'],
  ]
}

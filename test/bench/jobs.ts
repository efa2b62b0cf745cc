/**
 * `npm run bench:jobs` makes one run and prints one table; `-- --quick` makes a short one. Its jobs have
 * three steps that do nothing, and the embedded Cosmos DB has its log on disk. First everything runs in one
 * process; then store, worker and client have their own processes, and the worker is killed at the end.
 */
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { shown } from './figure-table.js'
import { isMet } from './figure.js'
import { fullJobsEffort, measuredJobs, quickJobsEffort } from './jobs/measured.js'

const isQuick = process.argv.includes('--quick')
const loadBefore = loadavg()[0] ?? 0
const figures = await measuredJobs(isQuick ? quickJobsEffort : fullJobsEffort, {
  cli: join(process.cwd(), 'dist/src/cli/main.js'),
  workload: fileURLToPath(new URL('jobs/workload.js', import.meta.url)),
})
const machine = `${availableParallelism()} cores, load of the machine before: ${loadBefore.toFixed(1)}`
const limit = 'A process at 100 % of a core, or all together at all cores, are what limits a rate.'
process.stdout.write(`${shown(figures)}\n${machine}\n${limit}\n`)
process.exitCode = figures.every(isMet) ? 0 : 1

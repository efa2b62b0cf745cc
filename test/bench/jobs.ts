/**
 * `npm run bench:jobs` (`-- --quick` for a short one): one run, one table, of jobs of three steps that do nothing, on the
 * embedded Cosmos DB with its log on disk; first in one process, then with store, worker and client in processes of
 * their own, of which the worker is killed at the end.
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

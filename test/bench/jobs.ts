/**
 * `npm run bench:jobs` makes one run and prints one table; `-- --quick` makes a short one. Its jobs have
 * three steps that do nothing, and the embedded Cosmos DB has its log on disk. First everything runs in one
 * process; then store, worker and client have their own processes, and the worker is killed at the end.
 * `-- --only recovery` makes only that last measurement, in three rounds (`--rounds N`), and shows its stages.
 * `--way NAME` chooses the ways whose name begins with this text.
 */
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { shown } from './figure-table.js'
import { isMet } from './figure.js'
import { fullJobsEffort, measuredJobs, quickJobsEffort } from './jobs/measured.js'
import { measuredRecoveries } from './jobs/recoveries.js'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    way: { type: 'string', default: '' },
  },
})
const loadBefore = loadavg()[0] ?? 0
const programs = {
  cli: join(process.cwd(), 'dist/src/cli/main.js'),
  workload: fileURLToPath(new URL('jobs/workload.js', import.meta.url)),
}
const figures =
  values.only === 'recovery'
    ? await measuredRecoveries(
        { rounds: Number(values.rounds), jobs: 200, warmUpMs: 9_000 },
        programs,
        values.way,
      )
    : await measuredJobs(values.quick ? quickJobsEffort : fullJobsEffort, programs)
const machine = `${availableParallelism()} cores, load of the machine before: ${loadBefore.toFixed(1)}`
const limit = 'A process at 100 % of a core, or all together at all cores, are what limits a rate.'
process.stdout.write(`${shown(figures)}\n${machine}\n${limit}\n`)
process.exitCode = figures.every(isMet) ? 0 : 1

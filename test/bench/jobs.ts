/**
 * `npm run bench:jobs` makes one run and prints one table; `-- --quick` makes a short one. Its jobs have
 * three steps that do nothing, and the embedded Cosmos DB has its log on disk. First everything runs in one
 * process; then store, worker and client have their own processes, and the worker is killed at the end.
 * `-- --only recovery` makes only that last measurement, in three rounds (`--rounds N`), and shows its stages.
 * `--way NAME` chooses the ways whose name begins with this text.
 * `-- --only memory` measures the memory of store and worker under load and after a rest, at both doors or with
 * `--way local` at one. `--node-options=--max-semi-space-size=16` sets options of Node for both.
 */
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { shown } from './figure-table.js'
import { isMet, type Figure } from './figure.js'
import { fullJobsEffort, measuredJobs, quickJobsEffort } from './jobs/measured.js'
import { measuredMemory } from './jobs/memory.js'
import { measuredRecoveries } from './jobs/recoveries.js'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    way: { type: 'string', default: '' },
    'node-options': { type: 'string', default: '' },
  },
})
const loadBefore = loadavg()[0] ?? 0
const programs = {
  cli: join(process.cwd(), 'dist/src/cli/main.js'),
  workload: fileURLToPath(new URL('jobs/workload.js', import.meta.url)),
}

async function measured(): Promise<readonly Figure[]> {
  switch (values.only) {
    case 'recovery': {
      const effort = { rounds: Number(values.rounds), jobs: 200, warmUpMs: 9_000 }
      return measuredRecoveries(effort, programs, values.way)
    }
    case 'memory': {
      const nodeOptions = values['node-options'].split(' ').filter((option) => option !== '')
      const [jobs, restMs] = values.quick ? [1_500, 20_000] : [6_000, 40_000]
      const effort = { jobs, atOnce: 200, restMs, nodeOptions }
      const doors = (['local', 'http'] as const).filter((door) => door.startsWith(values.way))
      const figures: Figure[] = []
      for (const door of doors) figures.push(...(await measuredMemory(effort, programs, door)))
      return figures
    }
    case undefined:
    default:
      return measuredJobs(values.quick ? quickJobsEffort : fullJobsEffort, programs)
  }
}

const figures = await measured()
const machine = `${availableParallelism()} cores, load of the machine before: ${loadBefore.toFixed(1)}`
const limit = 'A process at 100 % of a core, or all together at all cores, are what limits a rate.'
process.stdout.write(`${shown(figures)}\n${machine}\n${limit}\n`)
process.exitCode = figures.every(isMet) ? 0 : 1

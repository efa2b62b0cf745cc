/**
 * `npm run bench:leases` simulates deployment units of up to 1,000 leases and 100 hosts in virtual time. It
 * prints how many acquire intervals pass until the leases are balanced, and the requests to the lease container.
 * Then it measures one host with 1, 8 and 64 feed ranges, and compares two workers with one. `-- --quick` takes less
 * time. `-- --only ranges`, `balance` or `workers` makes one part.
 */
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { shown } from './figure-table.js'
import { isMet, type Figure } from './figure.js'
import { measuredLeases } from './leases/measured.js'
import { measuredRanges } from './leases/ranges.js'
import { measuredWorkers } from './leases/workers.js'

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
})
const loadBefore = loadavg()[0] ?? 0
const programs = {
  cli: join(process.cwd(), 'dist/src/cli/main.js'),
  workload: fileURLToPath(new URL('jobs/workload.js', import.meta.url)),
}
const sizes = [
  { leases: 100, hosts: 10 },
  { leases: 300, hosts: 30 },
  { leases: 1_000, hosts: 100 },
]
const parts: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  balance: async () => {
    const found: Figure[] = []
    for (const size of values.quick ? sizes.slice(0, 1) : sizes) found.push(...(await measuredLeases(size)))
    return found
  },
  ranges: async () => {
    const effort = values.quick
      ? { documents: 20_000, busySeconds: 20, restSeconds: 60 }
      : { documents: 200_000, busySeconds: 60, restSeconds: 300 }
    const found: Figure[] = []
    for (const ranges of [1, 8, 64]) found.push(...(await measuredRanges(ranges, effort)))
    return found
  },
  workers: () =>
    measuredWorkers(values.quick ? { jobs: 500, rounds: 1 } : { jobs: 2_000, rounds: 3 }, programs),
}
const figures: Figure[] = []
for (const [name, part] of Object.entries(parts)) {
  if (values.only === undefined || values.only === name) figures.push(...(await part()))
}
const machine = `${availableParallelism()} cores, load of the machine before: ${loadBefore.toFixed(1)}`
process.stdout.write(`${shown(figures)}\n${machine}\n`)
process.exitCode = figures.every(isMet) ? 0 : 1

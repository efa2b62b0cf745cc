/**
 * `npm run bench:processor` makes one run and prints one table; `-- --quick` makes a short one. It measures
 * the change feed processor on the embedded Cosmos DB. Throughput is relative to that of the bare SDK on the
 * same store, so the ratios can be compared between machines. Figures of several rounds are medians, with the
 * minimum and the maximum in brackets.
 */
import { join } from 'node:path'
import { loadavg } from 'node:os'
import process from 'node:process'
import { shown } from './figure-table.js'
import { isMet } from './figure.js'
import { fullProcessorEffort, measuredProcessor, quickProcessorEffort } from './processor/measured.js'

const isQuick = process.argv.includes('--quick')
const loadBefore = loadavg()[0] ?? 0
const cli = join(process.cwd(), 'dist/src/cli/main.js')
const figures = await measuredProcessor(isQuick ? quickProcessorEffort : fullProcessorEffort, cli)
process.stdout.write(`${shown(figures)}\nload of the machine before: ${loadBefore.toFixed(1)}\n`)
process.exitCode = figures.every(isMet) ? 0 : 1

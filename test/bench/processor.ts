/**
 * `npm run bench:processor` makes one run and prints one table; `-- --quick` makes a short one. It measures
 * the change feed processor on the embedded Cosmos DB. Throughput is relative to that of the bare SDK in the
 * same process, so the ratios can be compared between machines.
 */
import process from 'node:process'
import { shown } from './figure-table.js'
import { isMet } from './figure.js'
import { fullProcessorEffort, measuredProcessor, quickProcessorEffort } from './processor/measured.js'

const isQuick = process.argv.includes('--quick')
const figures = await measuredProcessor(isQuick ? quickProcessorEffort : fullProcessorEffort)
process.stdout.write(`${shown(figures)}\n`)
process.exitCode = figures.every(isMet) ? 0 : 1

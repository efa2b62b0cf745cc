/**
 * `npm run bench:emulator`: one run, one table. Ratios and figures against the targets that the embedded Cosmos DB was
 * built for; ratios travel between machines, the others tell how this one does.
 */
import { join } from 'node:path'
import process from 'node:process'
import { shown } from './figure-table.js'
import { fullEffort, isMet } from './figure.js'
import { measured } from './measured.js'

const figures = await measured(fullEffort, join(process.cwd(), 'dist/src/cli/main.js'))
process.stdout.write(`${shown(figures)}\n`)
process.exitCode = figures.every(isMet) ? 0 : 1

/**
 * `npm run bench:emulator` makes one run and prints one table; `-- --quick` takes less than half a minute. It
 * compares ratios and figures with the targets of the embedded Cosmos DB. Ratios can be compared between
 * machines; other figures describe this machine only.
 */
import { join } from 'node:path'
import process from 'node:process'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { shown } from './figure-table.js'
import { fullEffort, isMet, quickEffort } from './figure.js'
import { measured } from './measured.js'

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const loadBefore = loadavg()[0] ?? 0
const figures = await measured(values.quick ? quickEffort : fullEffort, {
  cli: join(process.cwd(), 'dist/src/cli/main.js'),
  constantServer: fileURLToPath(new URL('constant-server.js', import.meta.url)),
})
process.stdout.write(`${shown(figures)}\nload of the machine before: ${loadBefore.toFixed(1)}\n`)
process.exitCode = figures.every(isMet) ? 0 : 1

/**
 * `npm run bench:emulator`: one run, one table; `-- --quick` takes less than half a minute. Ratios and figures against the targets that the embedded Cosmos DB was
 * built for; ratios travel between machines, the others tell how this one does.
 */
import { join } from 'node:path'
import process from 'node:process'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { fullEffort, isMet, quickEffort, type Figure } from './figure.js'
import { measured } from './measured.js'

function shown(figures: readonly Figure[]): string {
  const table = new Table({ head: ['', 'measured', 'target', ''], style: { head: [], border: [] } })
  for (const figure of figures) {
    const { name, value, unit, target } = figure
    const limit =
      target === undefined ? '' : 'atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`
    const verdict = target === undefined ? '' : isMet(figure) ? 'PASS' : 'MISS'
    table.push([name, `${rounded(value)} ${unit}`, limit, verdict])
  }
  return table.toString()
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)
}

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const loadBefore = loadavg()[0] ?? 0
const figures = await measured(values.quick ? quickEffort : fullEffort, {
  cli: join(process.cwd(), 'dist/src/cli/main.js'),
  constantServer: fileURLToPath(new URL('constant-server.js', import.meta.url)),
})
process.stdout.write(`${shown(figures)}\nload of the machine before: ${loadBefore.toFixed(1)}\n`)
process.exitCode = figures.every(isMet) ? 0 : 1

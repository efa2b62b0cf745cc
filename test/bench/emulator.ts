/**
 * `npm run bench:emulator`: one run, one table. Ratios and figures against the targets that the embedded Cosmos DB was
 * built for; ratios travel between machines, the others tell how this one does.
 */
import { join } from 'node:path'
import process from 'node:process'
import Table from 'cli-table3'
import { fullEffort, isMet, type Figure } from './figure.js'
import { measured } from './measured.js'

function shown(figures: readonly Figure[]): string {
  const table = new Table({ head: ['', 'measured', 'target', ''], style: { head: [], border: [] } })
  for (const figure of figures) {
    const { name, value, unit, target } = figure
    const limit =
      target === undefined ? '' : 'atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`
    const verdict = target === undefined ? '' : isMet(figure) ? 'met' : 'MISSED'
    table.push([name, `${rounded(value)} ${unit}`, limit, verdict])
  }
  return table.toString()
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)
}

const figures = await measured(fullEffort, join(process.cwd(), 'dist/src/cli/main.js'))
process.stdout.write(`${shown(figures)}\n`)
process.exitCode = figures.every(isMet) ? 0 : 1

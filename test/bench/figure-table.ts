import Table from 'cli-table3'
import { isMet, type Figure } from './figure.js'

/** Returns figures as a table, each with its verdict. */
export function shown(figures: readonly Figure[]): string {
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

import { visible } from './terminal.js'

const gap = 2

/** The smallest width to which a column is reduced. A narrower column would show too little of a name. */
const leastWidth = 8

/**
 * Fits the rows of a table into `width` characters on the screen. Shortens the widest cells in the middle,
 * because names of leases and instances differ at their beginnings and ends.
 */
export function fitted(
  head: readonly string[],
  cells: readonly (readonly string[])[],
  width: number,
): readonly (readonly string[])[] {
  const rows = cells.map((row) => row.map((cell) => visible(cell.replaceAll('\n', ' '))))
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const room = width - gap * (head.length - 1)
  while (sum(widths) > room) {
    const widest = Math.max(...widths)
    if (widest <= leastWidth) break
    const next = Math.max(leastWidth, ...widths.filter((one) => one < widest))
    const count = widths.filter((one) => one === widest).length
    const over = sum(widths) - room
    const reduced = Math.max(next, widest - Math.ceil(over / count), leastWidth)
    widths.forEach((one, column) => {
      if (one === widest) widths[column] = reduced
    })
  }
  return rows.map((row) => row.map((cell, column) => shortened(cell, widths[column] ?? cell.length)))
}

function shortened(text: string, width: number): string {
  if (text.length <= width) return text
  const end = Math.floor((width - 1) / 2)
  return `${text.slice(0, width - 1 - end)}…${text.slice(text.length - end)}`
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

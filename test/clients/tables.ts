import Table from 'cli-table3'
import { withoutChecks } from './clients.js'
import type { Excuse } from './excuses.js'
import { matrixRows, type Cell, type Column } from './matrix.js'

/** Returns the matrix for a terminal, with the reasons below. */
export function terminalTable(columns: readonly Column[], excuses: readonly Excuse[]): string {
  const notes = new Notes()
  const table = new Table({
    head: ['check', ...columns.map(headOf)],
    style: { head: [], border: [], compact: true },
  })
  for (const { check, cells } of matrixRows(columns, excuses)) {
    table.push([check, ...cells.map((cell) => notes.marked(cell))])
  }
  return [table.toString(), ...notes.lines(), ...absences(columns)].join('\n')
}

/** Returns the matrix as a section of a page, with versions and the date (`2026-11-22`). */
export function markdownTable(columns: readonly Column[], excuses: readonly Excuse[], date: string): string {
  const notes = new Notes()
  const rows = matrixRows(columns, excuses).map(({ check, meaning, cells }) =>
    markdownRow([`${check}: ${meaning}`, ...cells.map((cell) => notes.marked(cell))]),
  )
  const head = ['check', ...columns.map(headOf)]
  return [
    `Run on ${date} with \`npm run clients -- --docs\`:`,
    '',
    markdownRow(head),
    markdownRow(head.map(() => '---')),
    ...rows,
    '',
    ...[...notes.lines(), ...absences(columns)].map((line) => `- ${line}`),
  ].join('\n')
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function headOf({ client, report }: Column): string {
  return report === null ? client.title : `${client.title} ${report.version} (${report.runtime})`
}

function absences(columns: readonly Column[]): readonly string[] {
  return [
    ...columns
      .filter(({ absence }) => absence !== '')
      .map(({ client, absence }) => `${client.title}: ${absence}.`),
    ...Object.entries(withoutChecks).map(([language, reason]) => `${language}: ${reason}.`),
  ]
}

/** Numbers the notes of cells. Equal notes share a number. */
class Notes {
  private readonly texts: string[] = []

  marked({ text, note }: Cell): string {
    if (note === '') return text
    if (!this.texts.includes(note)) this.texts.push(note)
    return `${text} (${this.texts.indexOf(note) + 1})`
  }

  lines(): readonly string[] {
    return this.texts.map((text, index) => `(${index + 1}) ${text}`)
  }
}

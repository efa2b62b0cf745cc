import { checks } from './checks.js'
import type { Client } from './clients.js'
import type { Excuse } from './excuses.js'
import type { Outcome, Report } from './reported.js'

/** A client that ran, or the reason why it did not. */
export interface Column {
  readonly client: Client
  readonly report: Report | null
  /** Why the client did not run. Empty if it ran. */
  readonly absence: string
}

/** One cell of the matrix. `note` gives the reason for an outcome that is not ok. */
export interface Cell {
  readonly text: string
  readonly note: string
}

/** Returns the failures that no excuse explains, and the excuses of checks that pass. */
export function surprises(columns: readonly Column[], excuses: readonly Excuse[]): readonly string[] {
  return columns.flatMap(({ client, report }) =>
    [...(report?.outcomes ?? [])].flatMap(([check, { outcome, reason }]) => {
      const excuse = excuses.find((one) => one.client === client.name && one.check === check)
      if (outcome === 'fails' && excuse !== undefined && !reason.includes(excuse.contains)) {
        return [`${client.name}, ${check}: fails in another way than its excuse says: ${reason}`]
      }
      if (outcome === 'fails' && excuse === undefined) return [`${client.name}, ${check}: ${reason}`]
      if (outcome !== 'fails' && excuse !== undefined) {
        return [`${client.name}, ${check}: does not fail (any more); take it off the list of excuses`]
      }
      return []
    }),
  )
}

/** Returns a row for each check that at least one client reported, with a cell for each column. */
export function matrixRows(
  columns: readonly Column[],
  excuses: readonly Excuse[],
): readonly { readonly check: string; readonly meaning: string; readonly cells: readonly Cell[] }[] {
  return checks.flatMap(({ name, meaning }) => {
    const cells = columns.map(({ client, report }) => {
      const excuse = excuses.find((one) => one.client === client.name && one.check === name)
      return cellOf(report?.outcomes.get(name), excuse)
    })
    return cells.every(({ text }) => text === '') ? [] : [{ check: name, meaning, cells }]
  })
}

function cellOf(found: Outcome | undefined, excuse: Excuse | undefined): Cell {
  if (found === undefined) return { text: '', note: '' }
  if (found.outcome === 'ok') return { text: 'ok', note: '' }
  if (found.outcome === 'unsupported') return { text: 'not in client', note: found.reason }
  return { text: 'fails', note: excuse?.reason ?? found.reason }
}

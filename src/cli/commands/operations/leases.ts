import { listLeases } from '../../../operations/index.js'
import { exitCodes } from '../../output/cli-error.js'
import { durationText } from '../../output/duration-text.js'
import { fitted } from '../../output/fitted.js'
import { withUnits } from '../../input/store.js'
import type { UnitOptions } from '../../input/store-options.js'
import { table, type Terminal } from '../../output/terminal.js'

export async function leases(options: UnitOptions, terminal: Terminal): Promise<number> {
  const rows = await withUnits({ options, terminal }, listLeases)
  if (options.json === true) {
    terminal.print(JSON.stringify(rows))
  } else if (rows.length === 0) {
    terminal.print('no leases: no instance has been started on this container yet')
  } else {
    const lines = rows.map((row) => [
      row.processorName,
      row.leaseToken,
      row.owner ?? '(free)',
      row.continuationToken ?? (row.notRead === null ? '(none)' : `(${row.notRead})`),
      `${durationText(row.ageMs)}${row.isExpired ? ' expired' : ''}`,
    ])
    const head = ['PROCESSOR', 'LEASE', 'OWNER', 'POSITION', 'RENEWED']
    terminal.print(table(head, fitted(head, lines, terminal.tableWidth)))
  }
  return exitCodes.ok
}

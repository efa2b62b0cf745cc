import { listLeases } from '../../host/index.js'
import { exitCodes } from '../cli-error.js'
import { withExistingStore } from '../store.js'
import type { StoreOptions } from '../store-options.js'
import { table, type Terminal } from '../terminal.js'

/** Shows who reads which feed range, for every role. */
export async function leases(options: StoreOptions, terminal: Terminal): Promise<number> {
  const rows = await withExistingStore(options, listLeases)
  if (options.json === true) {
    terminal.print(JSON.stringify(rows))
  } else if (rows.length === 0) {
    terminal.print('no leases: no instance has been started on this store yet')
  } else {
    const lines = rows.map((row) => [
      row.role,
      row.leaseToken,
      row.owner === null ? '(free)' : row.isExpired ? `${row.owner} (expired)` : row.owner,
      row.continuationToken ?? '',
      row.renewedAt.slice(0, 19),
    ])
    terminal.print(table(['ROLE', 'LEASE', 'OWNER', 'POSITION', 'RENEWED'], lines))
  }
  return exitCodes.ok
}

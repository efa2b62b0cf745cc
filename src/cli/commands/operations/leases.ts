import { listLeases, type LeaseRow } from '../../../operations/index.js'
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
      `${row.owner ?? '(free)'}${row.requestedBy === null ? '' : `, requested by ${row.requestedBy}`}`,
      row.continuationToken ?? (row.notRead === null ? '(none)' : `(${row.notRead})`),
      `${durationText(row.ageMs)}${row.isExpired ? ' expired' : ''}`,
    ])
    const head = ['PROCESSOR', 'LEASE', 'OWNER', 'POSITION', 'RENEWED']
    terminal.print(table(head, fitted(head, lines, terminal.tableWidth)))
    for (const line of stateLines(rows)) terminal.print(line)
  }
  return exitCodes.ok
}

/** Returns what instances say about themselves, and what their clocks show: one line for each instance. */
function stateLines(rows: readonly LeaseRow[]): readonly string[] {
  const newestFirst = [...rows].sort((one, other) => (one.renewedAt < other.renewedAt ? 1 : -1))
  return [...new Set(rows.flatMap(({ owner }) => owner ?? []))].flatMap((owner) => {
    // What an instance said that is silent or has ended is not true any more.
    const own = newestFirst.filter((row) => row.owner === owner && !row.isExpired)
    const { agents = null, ageMs = null } = own.find((row) => row.agents !== null) ?? {}
    const waitingMs = own.flatMap(({ agents: said, renewedAt }) =>
      typeof said?.waitingSinceMs !== 'number'
        ? []
        : [Math.max(0, Date.parse(renewedAt) - said.waitingSinceMs)],
    )
    const clocked = own.find((row) => row.clockOffsetMs !== null)
    const parts = [
      ...(agents === null ? [] : [`${agents.busy} of ${agents.slots} slots busy${agoText(ageMs)}`]),
      ...(waitingMs.length === 0
        ? []
        : [`steps wait for a slot, the oldest for ${durationText(Math.max(...waitingMs))}`]),
      ...(agents?.limited ?? []).map(
        ({ agent, slots, busy }) => `${agent}: ${busy} of its ${slots} slots busy`,
      ),
      ...(agents?.openCircuits ?? []).map(
        (name) => `agent ${name} is not called while its remote service fails`,
      ),
      ...(clocked?.isClockWrong === true
        ? [`its clock is ${offsetText(clocked.clockOffsetMs ?? 0)} the store's`]
        : []),
    ]
    return parts.length === 0 ? [] : [`${owner}: ${parts.join('; ')}`]
  })
}

/** Says how old the answer of an instance is, unless it is new. An instance tells its slots when it renews its lease. */
function agoText(ageMs: number | null): string {
  return ageMs === null || ageMs < 5_000 ? '' : ` ${durationText(ageMs)} ago`
}

function offsetText(offsetMs: number): string {
  return `${durationText(Math.abs(offsetMs))} ${offsetMs > 0 ? 'ahead of' : 'behind'}`
}

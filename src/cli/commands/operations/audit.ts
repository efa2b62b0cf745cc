import { connectWithPorts } from '../../../connection/internal.js'
import { instantOf, readAudit, type AuditRow } from '../../../operations/index.js'
import { systemClock } from '../../../platform/index.js'
import { withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { wholeNumber } from '../../input/whole-number.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { fitted } from '../../output/fitted.js'
import { table, type Terminal } from '../../output/terminal.js'

export interface AuditOptions extends StoreOptions {
  readonly before?: string
  readonly limit: string
}

/** Prints the decisions of operators about jobs, schedules, limits, pauses and instances, the newest first. */
export async function audit(options: AuditOptions, terminal: Terminal): Promise<number> {
  const limit = wholeNumber('--limit', options.limit, { min: 1, max: 1_000 })
  const beforeMs = timeOf(options.before)
  const { rows, next } = await withExistingStore({ options, terminal }, async (settings) => {
    const { ports, close } = await connectWithPorts(settings)
    try {
      return await readAudit(ports.queries, { beforeMs, limit })
    } finally {
      await close()
    }
  })
  if (options.json === true) terminal.print(JSON.stringify(rows))
  else if (rows.length === 0) terminal.print('no operator has decided anything')
  else terminal.print(described(rows, terminal.tableWidth))
  if (next !== null) terminal.note(`there are more: run the same command with --before ${next}`)
  return exitCodes.ok
}

function timeOf(before: string | undefined): number | null {
  if (before === undefined) return null
  const ms = instantOf(before, systemClock.now())
  if (ms !== null) return ms
  const rule =
    'must be an age such as 2h, a date such as 2026-01-31T12:00Z, or the value that the previous page printed'
  throw new CliError(`--before ${JSON.stringify(before)} ${rule}`, exitCodes.usage)
}

function described(rows: readonly AuditRow[], width: number): string {
  const head = ['AT', 'BY', 'COMMAND', 'ABOUT', 'STEP', 'WHY']
  const lines = rows.map(({ at, by, command, about, id, stepId, why, target }) => [
    at.slice(0, 19),
    by,
    about === 'job' || about === 'fleet' ? command : `${about} ${command}`,
    target === null ? id : `${id}, ${target}`,
    stepId ?? '',
    why,
  ])
  return table(head, fitted(head, lines, width))
}

import {
  fleetStatus,
  socketPath,
  stateDirectoryOf,
  type FleetRow,
  type FleetStatus,
} from '../../../fleet/index.js'
import { counted } from '../../../platform/internal.js'
import { exitCodes } from '../../output/cli-error.js'
import { durationText } from '../../output/duration-text.js'
import { fitted } from '../../output/fitted.js'
import { instancesText } from '../../output/instances-text.js'
import { table, wrapped, type Terminal } from '../../output/terminal.js'

export interface FleetCommandOptions {
  readonly state?: string
  readonly json?: boolean
  readonly verbose?: boolean
}

/** Shows the processes of the fleet that runs on this machine. */
export async function fleet(options: FleetCommandOptions, terminal: Terminal): Promise<number> {
  const path = socketPath(await stateDirectoryOf(options.state, process.cwd()))
  const status = await fleetStatus(path, { command: 'status' })
  terminal.print(options.json === true ? JSON.stringify(status) : describe(status, terminal))
  return exitCodes.ok
}

/** Describes how many instances a fleet should have, and what each process does. */
export function describe(
  { processId, wanted, leases, backlog, rows }: FleetStatus,
  { width, tableWidth }: Pick<Terminal, 'width' | 'tableWidth'>,
): string {
  const counts = Object.entries(wanted).map(([role, count]) => instancesText(count, role))
  const uses = `The fleet of process ${processId} uses ${counts.join(', ')}.`
  const behind = wrapped(lagText(backlog), width, '')
  const head = [uses, ...sparesIn({ wanted, leases }), behind].join('\n')
  if (rows.length === 0) return head
  const lines = rows.map((row) => [
    row.role,
    String(row.processId ?? ''),
    row.instanceName,
    row.state,
    String(row.leases ?? ''),
    ...consumption(row),
    `${Math.round(row.upMs / 1_000)} s`,
  ])
  const titles = ['ROLE', 'PID', 'INSTANCE', 'STATE', 'LEASES', 'CPU', 'MEMORY', 'UP']
  return `${head}\n\n${table(titles, fitted(titles, lines, tableWidth))}`
}

/** Returns a remark for each role with more instances than leases. Spare instances are not an error. */
export function sparesIn({ wanted, leases }: Pick<FleetStatus, 'wanted' | 'leases'>): readonly string[] {
  return Object.entries(wanted).flatMap(([role, count]) => {
    const useful = leases[role] ?? 0
    if (useful === 0 || count <= useful) return []
    const spares = counted(count - useful, 'instance waits as a spare', 'instances wait as spares')
    return [`${role}: ${counted(useful, 'lease')} for ${counted(count, 'instance')}, so ${spares}`]
  })
}

export function lagText(backlog: FleetStatus['backlog']): string {
  if (backlog.length === 0) return 'lag: unknown, because the store does not answer'
  const roles = backlog.map(({ role, estimatedLag, oldestAgeMs }) => {
    const oldest = oldestAgeMs === null ? '' : ` (oldest ${durationText(oldestAgeMs)})`
    return `${role} ${estimatedLag}${oldest}`
  })
  return `lag: ${roles.join(', ')}`
}

function consumption({ cpuShare, residentBytes }: FleetRow): readonly string[] {
  return [
    cpuShare === null ? '' : `${Math.round(100 * cpuShare)} %`,
    residentBytes === null ? '' : `${Math.round(residentBytes / 1e6)} MB`,
  ]
}

import type { Inspection } from '../../change-feed-processor/internal.js'
import { counted } from '../../platform/internal.js'
import { CosmosJobQueries } from '../../sas/internal.js'
import type { Role } from '../../connection/index.js'
import { neededRoles, ownerless, processorNameOf } from '../../connection/internal.js'
import {
  type HostFinding,
  type Looked,
  type UnitSelection,
  expirationOf,
  looking,
} from '../unit-selection.js'

/** Jobs that have not ended, and the roles that they need but that do not run. */
export interface StandingWork {
  readonly waiting: number
  readonly missing: readonly Role[]
  readonly command: string
}

/**
 * Returns the jobs that have not ended, if a role that they need does not run. Otherwise returns null.
 *
 * @throws StoreUnavailable or StoreRefused, each with advice
 */
export function standingWork(selection: UnitSelection): Promise<StandingWork | null> {
  return looking(selection, (looked) => standingIn(looked, selection))
}

/** Describes standing work in a sentence, with the command that starts the roles. */
export function standingSentence(standing: StandingWork): string {
  return `${standingText(standing)}; ${standingAdvice(standing)}`
}

/** Says how to start the roles. If other roles run, an instance may run these, too, but have no lease of them yet, or any more. */
function standingAdvice({ missing, command }: StandingWork): string {
  const start = `start them: ${command}`
  if (missing.length === neededRoles.length) return start
  return `${start}. One that stands by takes the leases by itself, unless it is not healthy: see its log`
}

export async function standingIn(
  { inspection, containers }: Looked,
  selection: UnitSelection,
): Promise<StandingWork | null> {
  if (inspection.physicalRanges === null) return null
  const missing = neededRoles.filter((role) => !isRun(role, inspection, expirationOf(selection)))
  if (missing.length === 0) return null
  const waiting = await new CosmosJobQueries({ container: containers.monitoredContainer }).countOpen()
  return waiting === 0 ? null : { waiting, missing, command: startCommand(missing, selection) }
}

/**
 * Checks whether an instance runs this role, under any unit prefix: whether it owns a lease that has not
 * expired.
 */
function isRun(role: Role, { units, storeTimeMs }: Inspection, expirationMs: number): boolean {
  return units.some(({ processorName, leases }) => {
    const silent = ownerless(leases, { storeTimeMs, expirationMs })
    const isRoles = processorName?.endsWith(processorNameOf(role, '')) === true
    return isRoles && leases.some(({ owner, leaseToken }) => owner !== null && !silent.has(leaseToken))
  })
}

/** Describes standing work in a sentence. */
export function standingText({ waiting, missing }: StandingWork): string {
  const jobs = counted(waiting, 'job has', 'jobs have')
  return (
    `${jobs} not ended, and no instance runs ${missing.length === 1 ? 'the role' : 'the roles'} ` +
    missing.join(', ')
  )
}

/**
 * Returns the command that starts these roles, with a placeholder for the agents' module if none is
 * configured.
 */
export function startCommand(missing: readonly Role[], { module }: UnitSelection): string {
  const roles = missing.length === neededRoles.length ? 'all' : missing.join(' ')
  const agents = missing.includes('agents') && module === undefined ? ' --agents MODULE' : ''
  return `stepward start --role ${roles}${agents}`
}

export function standingFindings(standing: StandingWork | null): readonly HostFinding[] {
  if (standing === null) return []
  return [
    {
      rule: 'nothingRuns',
      severity: 'problem',
      processorName: null,
      observation: standingText(standing),
      advice: standingAdvice(standing),
      command: standing.command,
    },
  ]
}

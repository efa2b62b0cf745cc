import {
  inspect,
  type Finding,
  type Inspection,
  type InspectionOptions,
} from '../change-feed-processor/internal.js'
import { systemClock, type Duration } from '../platform/index.js'
import { StoreRefused } from '../sas/index.js'
import type { Connection } from '../connection/index.js'
import { explained, leaseExpirationMs, openConnection } from '../connection/internal.js'
import { UnitNotFound } from './errors.js'

/**
 * The deployment units whose leases are read. They may be any change feed processors, of this library or of
 * .NET, that read the connection's `container`.
 */
export interface UnitSelection extends Connection {
  /** The name of one deployment unit. Default: every deployment unit that has leases for the container. */
  readonly processorName?: string
  /** The configured module with the agents. If it is set, suggested start commands omit `--agents`. */
  readonly module?: string
  /** The timing of the instances, which decides whether a lease has expired. */
  readonly timing?: { readonly leaseExpirationInterval?: Duration }
}

/** A problem of a container, a lease or a job. */
export type HostFinding = Omit<Finding, 'rule'> & {
  readonly rule: Finding['rule'] | 'unreadableJob' | 'nothingRuns' | 'openCircuit'
  /** The agent that the finding is about, if it is about one. */
  readonly agent?: string
  /** The command in the advice, if there is one. */
  readonly command?: string
}

export type NamedUnit = Inspection['units'][number] & { readonly processorName: string }

export interface Looked {
  readonly inspection: Inspection
  readonly containers: Omit<InspectionOptions, 'now'>
}

export async function looking<T>(selection: UnitSelection, use: (looked: Looked) => Promise<T>): Promise<T> {
  const connection = await openConnection(selection)
  const database = connection.client.database(connection.database)
  const containers = {
    monitoredContainer: database.container(connection.container),
    leaseContainer: database.container(connection.leaseContainer),
  }
  try {
    const inspection = await inspect({ ...containers, now: () => systemClock.now() })
    return await use({ inspection, containers })
  } catch (error) {
    throw explained(connection, error)
  } finally {
    connection.close()
  }
}

/** Returns the selected units. Throws if a container could not be read. */
export function readableUnits(inspection: Inspection, { processorName }: UnitSelection): NamedUnit[] {
  const [obstacle] = inspection.obstacles
  if (obstacle !== undefined) {
    const { kind, container, action } = obstacle
    const what = kind === 'missing' ? 'does not exist' : `may not be used for ${action}`
    throw new StoreRefused(
      `container ${JSON.stringify(container)} ${what}: run "stepward doctor" to see what to do`,
    )
  }
  return processorName === undefined
    ? inspection.units.filter(isNamed)
    : selectedUnits(inspection, processorName)
}

export function selectedUnits({ units }: Inspection, processorName: string): NamedUnit[] {
  const named = units.filter(isNamed)
  const selected = named.filter((unit) => unit.processorName === processorName)
  if (selected.length > 0) return selected
  throw new UnitNotFound(
    processorName,
    named.map((unit) => unit.processorName),
  )
}

function isNamed(unit: Inspection['units'][number]): unit is NamedUnit {
  return unit.processorName !== null
}

export function expirationOf({ timing }: UnitSelection): number {
  return leaseExpirationMs(timing)
}

import type { Container } from '@azure/cosmos'
import {
  ChangeFeedEstimator,
  diagnose,
  inspect,
  type Finding,
  type Inspection,
  type InspectionOptions,
  type LeaseEstimate,
} from '../change-feed-processor/index.js'
import { expired } from '../../lease-store/index.js'
import { systemClock } from '../platform/index.js'
import { CosmosStateStore, StoreRefused, unreadableJobs } from '../sas/index.js'
import { openConnection, type Connection } from '../connection/connection.js'
import { explained } from '../connection/containers.js'
import { UnitNotFound } from '../connection/errors.js'
import { processorNameOf, type Role } from '../connection/role.js'

/** Whose leases to look at: those of any change feed processor, ours or .NET's, on the connection's `container`. */
export interface UnitSelection extends Connection {
  /** Default: every deployment unit that has leases of the container. */
  readonly processorName?: string
  /** Where the agents are, when that is configured: advice need not name it then. */
  readonly module?: string
  /** The instances' own, by which leases are judged to be expired. */
  readonly timing?: { readonly leaseExpirationIntervalMs?: number }
}

/** A lease as people look at it. */
export interface LeaseRow {
  readonly processorName: string
  readonly leaseToken: string
  readonly owner: string | null
  /** Whether the owner has not renewed it for the expiration interval. */
  readonly isExpired: boolean
  readonly continuationToken: string | null
  /** ISO-8601 UTC: the owner's last write, by the store's clock. */
  readonly renewedAt: string
  /** How long ago that was, by the store's clock; null if the store's time is unknown. */
  readonly ageMs: number | null
  /** Why this library does not read the lease: the Java SDK wrote it, or it is refused. Null if it is read. */
  readonly notRead: 'Java SDK' | 'refused' | null
}

/** The leases of a deployment unit whose lag cannot be estimated, and the reason. */
export interface NotEstimated {
  readonly processorName: string
  readonly leases: number
  readonly reason: string
}

/** How far behind deployment units are. */
export interface Lag {
  readonly leases: readonly EstimateRow[]
  /** Leases that are not included in `leases`. */
  readonly notEstimated: readonly NotEstimated[]
  /** Jobs that stand still because a role does not run; null if there are none. */
  readonly standing: StandingWork | null
}

/** What is wrong with containers and leases, or with a document of a job. */
export type HostFinding = Omit<Finding, 'rule'> & {
  readonly rule: Finding['rule'] | 'unreadableJob' | 'nothingRuns'
}

/** Jobs that have not ended while roles that they need do not run. */
export interface StandingWork {
  /** Jobs that have not ended. */
  readonly waiting: number
  readonly missing: readonly Role[]
  /** The command that starts them. */
  readonly command: string
}

/** The roles that every job needs to end. */
const needed: readonly Role[] = ['scheduler', 'agents', 'supervisor']

/** How far a lease is behind, and of which deployment unit it is. */
export type EstimateRow = { readonly processorName: string } & LeaseEstimate

/** Default of the processor: how long a lease stands without a renewal. */
const defaultExpirationMs = 60_000

/** A unit whose name is known. */
type NamedUnit = Inspection['units'][number] & { readonly processorName: string }

/**
 * The leases of deployment units, by processor name and range.
 *
 * @throws UnitNotFound, StoreUnavailable or StoreRefused, each saying what to do
 */
export function listLeases(selection: UnitSelection): Promise<readonly LeaseRow[]> {
  return looking(selection, async ({ inspection }) =>
    readableUnits(inspection, selection).flatMap((unit) =>
      rowsOf(unit, inspection.storeTimeMs, expirationOf(selection)),
    ),
  )
}

/**
 * How far each lease of deployment units is behind.
 *
 * @throws UnitNotFound, StoreUnavailable or StoreRefused, each saying what to do
 */
export function estimateLag(selection: UnitSelection): Promise<Lag> {
  return looking(selection, async ({ inspection, containers }) => {
    const units = readableUnits(inspection, selection)
    const leases: EstimateRow[] = []
    for (const { processorName, refused, isJavas } of units) {
      if (isJavas || refused.length > 0) continue
      const estimator = new ChangeFeedEstimator({ ...containers, processorName })
      for await (const estimate of estimator.leases()) leases.push({ processorName, ...estimate })
    }
    const standing = await standingIn({ inspection, containers }, selection)
    return { leases, notEstimated: units.flatMap(notEstimated), standing }
  })
}

/** The leases of a unit that its estimator cannot read. It reads all leases of a unit or none. */
function notEstimated({ processorName, leases, refused, isJavas }: NamedUnit): NotEstimated[] {
  const [first] = refused
  if (first === undefined) return []
  const reason = isJavas ? 'the Java SDK wrote them; only its own tools read them' : first.reason
  return [{ processorName, leases: leases.length + refused.length, reason }]
}

/**
 * What is wrong with both containers and with the leases of deployment units; empty when nothing is.
 *
 * @throws UnitNotFound, or StoreUnavailable when nothing could be looked at
 */
export function examine(selection: UnitSelection): Promise<readonly HostFinding[]> {
  return looking(selection, async ({ inspection, containers }) => {
    const isWhole = inspection.obstacles.length === 0
    const units =
      isWhole && selection.processorName !== undefined
        ? selectedUnits(inspection, selection.processorName)
        : inspection.units
    const found = diagnose({ ...inspection, units }, { leaseExpirationIntervalMs: expirationOf(selection) })
    if (!isWhole) return found
    const standing = await standingIn({ inspection, containers }, selection)
    return [
      ...standingFindings(standing),
      ...(await unreadableFindings(containers.monitoredContainer)),
      ...found,
    ]
  })
}

/**
 * Jobs that have not ended while a role that they need does not run; null if there are none.
 *
 * @throws StoreUnavailable or StoreRefused, each saying what to do
 */
export function standingWork(selection: UnitSelection): Promise<StandingWork | null> {
  return looking(selection, (looked) => standingIn(looked, selection))
}

async function standingIn(
  { inspection, containers }: Looked,
  selection: UnitSelection,
): Promise<StandingWork | null> {
  if (inspection.physicalRanges === null) return null
  const missing = needed.filter((role) => !isRun(role, inspection, expirationOf(selection)))
  if (missing.length === 0) return null
  const counts = await new CosmosStateStore({ container: containers.monitoredContainer }).countJobs()
  const waiting = counts.Pending + counts.Processing + counts.Compensating
  return waiting === 0 ? null : { waiting, missing, command: startCommand(missing, selection) }
}

/** Whether an instance of a unit with this role's name, whatever its prefix, holds a lease and renews it. */
function isRun(role: Role, { units, storeTimeMs }: Inspection, expirationMs: number): boolean {
  return units.some(({ processorName, leases }) => {
    const silent = storeTimeMs === null ? new Set<string>() : expired(leases, storeTimeMs, expirationMs)
    const isRoles = processorName?.endsWith(processorNameOf(role, '')) === true
    return isRoles && leases.some(({ owner, leaseToken }) => owner !== null && !silent.has(leaseToken))
  })
}

/** Describes standing work in a sentence. */
export function standingText({ waiting, missing }: StandingWork): string {
  const jobs = waiting === 1 ? '1 job has' : `${waiting.toLocaleString('en')} jobs have`
  return `${jobs} not ended, and no instance runs ${missing.length === 1 ? 'the role' : 'the roles'} ${missing.join(', ')}`
}

/** The command that starts these roles. It names a module of agents where none is configured. */
function startCommand(missing: readonly Role[], { module }: UnitSelection): string {
  const roles = missing.length === needed.length ? 'all' : missing.join(' ')
  const agents = missing.includes('agents') && module === undefined ? ' --agents MODULE' : ''
  return `stepward start --role ${roles}${agents}`
}

function standingFindings(standing: StandingWork | null): readonly HostFinding[] {
  if (standing === null) return []
  return [
    {
      rule: 'nothingRuns',
      severity: 'problem',
      processorName: null,
      observation: standingText(standing),
      advice: `start them: ${standing.command}`,
    },
  ]
}

/** Findings about jobs that no instance can read. The container may hold no jobs at all. */
async function unreadableFindings(container: Container): Promise<readonly HostFinding[]> {
  const jobs = await unreadableJobs(new CosmosStateStore({ container }))
  return jobs.map(({ documentId, reason }) => ({
    rule: 'unreadableJob',
    severity: 'problem',
    processorName: null,
    observation: `document ${JSON.stringify(documentId)} cannot be read: ${reason}`,
    advice: 'its job stands still until the document is repaired: docs/operate.md says how',
  }))
}

interface Looked {
  readonly inspection: Inspection
  readonly containers: Omit<InspectionOptions, 'now'>
}

async function looking<T>(selection: UnitSelection, use: (looked: Looked) => Promise<T>): Promise<T> {
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

/** The units asked for, if everything about them could be read. */
function readableUnits(inspection: Inspection, { processorName }: UnitSelection): NamedUnit[] {
  const [obstacle] = inspection.obstacles
  if (obstacle !== undefined) {
    const { kind, container, action } = obstacle
    const what = kind === 'missing' ? 'does not exist' : `may not be used for ${action}`
    throw new StoreRefused(
      `container ${JSON.stringify(container)} ${what}: "stepward doctor" says what to do about it`,
    )
  }
  return processorName === undefined
    ? inspection.units.filter(isNamed)
    : selectedUnits(inspection, processorName)
}

function selectedUnits({ units }: Inspection, processorName: string): NamedUnit[] {
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

function expirationOf({ timing }: UnitSelection): number {
  return timing?.leaseExpirationIntervalMs ?? defaultExpirationMs
}

function rowsOf(
  { processorName, leases, refused }: NamedUnit,
  storeTimeMs: number | null,
  expirationMs: number,
): LeaseRow[] {
  const silent = storeTimeMs === null ? new Set<string>() : expired(leases, storeTimeMs, expirationMs)
  const written = (storedAtMs: number): Pick<LeaseRow, 'renewedAt' | 'ageMs'> => ({
    renewedAt: new Date(storedAtMs).toISOString(),
    ageMs: storeTimeMs === null ? null : Math.max(0, storeTimeMs - storedAtMs),
  })
  const read = leases.map(({ leaseToken, owner, continuationToken, storedAtMs }) => ({
    processorName,
    leaseToken,
    owner,
    isExpired: silent.has(leaseToken),
    continuationToken,
    ...written(storedAtMs),
    notRead: null,
  }))
  const notRead = refused.map(({ rule, document }) => ({
    processorName,
    leaseToken: String(document['PartitionId'] ?? document['LeaseToken']),
    owner: typeof document['Owner'] === 'string' ? document['Owner'] : null,
    isExpired: false,
    continuationToken: null,
    ...written(Number(document['_ts']) * 1_000),
    notRead: rule === 'javaLease' ? ('Java SDK' as const) : ('refused' as const),
  }))
  return [...read, ...notRead]
}

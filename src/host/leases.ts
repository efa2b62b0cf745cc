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
import { openConnection, type Connection } from './connection.js'
import { explained } from './containers.js'
import { UnitNotFound } from './errors.js'

/** Whose leases to look at: those of any change feed processor, ours or .NET's, on the connection's `container`. */
export interface UnitSelection extends Connection {
  /** Default: every deployment unit that has leases of the container. */
  readonly processorName?: string
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
  /** How long ago that was, by the store's clock; null when it did not tell its time. */
  readonly ageMs: number | null
  /** Who or what wrote a lease that this library does not read; null for those it reads. */
  readonly notRead: 'Java SDK' | 'refused' | null
}

/** Leases of a deployment unit whose lag cannot be estimated, and why. */
export interface NotEstimated {
  readonly processorName: string
  readonly leases: number
  readonly reason: string
}

/** How far deployment units are behind. */
export interface Lag {
  readonly leases: readonly EstimateRow[]
  /** Not counted in them. */
  readonly notEstimated: readonly NotEstimated[]
}

/** What is wrong with containers and leases, or with a document of a job. */
export type HostFinding = Omit<Finding, 'rule'> & { readonly rule: Finding['rule'] | 'unreadableJob' }

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
    return { leases, notEstimated: units.flatMap(notEstimated) }
  })
}

/** A unit's estimator reads all of its leases or none. */
function notEstimated({ processorName, leases, refused, isJavas }: NamedUnit): NotEstimated[] {
  const [first] = refused
  if (first === undefined) return []
  const reason = isJavas ? 'the Java SDK wrote them, and its own tools read them' : first.reason
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
    return isWhole ? [...(await unreadableFindings(containers.monitoredContainer)), ...found] : found
  })
}

/** Jobs that no instance can read, of a container that may as well hold none. */
async function unreadableFindings(container: Container): Promise<readonly HostFinding[]> {
  const jobs = await unreadableJobs(new CosmosStateStore({ container }))
  return jobs.map(({ documentId, reason }) => ({
    rule: 'unreadableJob',
    severity: 'problem',
    processorName: null,
    observation: `document ${JSON.stringify(documentId)} cannot be read: ${reason}`,
    advice: 'nothing goes on with its job until the document is repaired: docs/operate.md says how',
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

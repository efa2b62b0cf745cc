import { ChangeFeedEstimator, type LeaseEstimate } from '../change-feed-processor/index.js'
import {
  newestDeadLetters,
  toleratedSkewMs,
  type StoredDeadLetter,
} from '../change-feed-processor/internal.js'
import type { Connection } from '../connection/index.js'
import { explained, openConnection, ownerless } from '../connection/internal.js'
import { cosmosErrorKind } from '../../lease-store/internal.js'
import type { Lease } from '../../lease-store/index.js'
import { readAgentsReport, type AgentsReport } from '../sas/internal.js'
import { ContainerNotFound } from './errors.js'
import { agentsIn } from './lacking/missing-agents.js'
import { type StandingWork, standingIn } from './lacking/standing-work.js'
import { type NamedUnit, type UnitSelection, expirationOf, looking, readableUnits } from './unit-selection.js'

/** A lease in the form that commands and pages show. */
export interface LeaseRow {
  readonly processorName: string
  readonly leaseToken: string
  readonly owner: string | null
  /** True if the owner has not renewed the lease within the expiration interval, or its process has ended. */
  readonly isExpired: boolean
  /** The version of Stepward in the owner's process, or null if it is unknown. */
  readonly version: string | null
  readonly continuationToken: string | null
  /** The time of the last write to the lease by the store's clock, in ISO-8601 UTC. */
  readonly renewedAt: string
  /**
   * The time since `renewedAt` by the store's clock, in milliseconds, or null if the store's time is unknown.
   */
  readonly ageMs: number | null
  /** The instance that has requested the lease from its owner, or null. */
  readonly requestedBy: string | null
  /**
   * How far the owner's clock is ahead of the store's, in milliseconds, as the last renewal shows. Negative if it is
   * behind. The store's clock counts whole seconds. Null if it is unknown.
   */
  readonly clockOffsetMs: number | null
  /** True if this offset is more than delays and whole seconds explain: the rule of `stepward doctor`. */
  readonly isClockWrong: boolean
  /** The slots and circuits of the owner at its last renewal, if it is an instance of the role agents. */
  readonly agents: LeaseAgents | null
  /**
   * The reason why this library does not read the lease: the Java SDK wrote it, or its format is refused.
   * Null if the library reads the lease.
   */
  readonly notRead: 'Java SDK' | 'refused' | null
}

/** What an instance of the role agents says in a lease. */
export interface LeaseAgents extends Omit<AgentsReport, 'position'> {
  /**
   * The time of the oldest dispatch whose step waits for a slot, by the store's clock in milliseconds since the epoch.
   * Null if no step of the range waits.
   */
  readonly waitingSinceMs: number | null
}

/** The number of leases of a deployment unit whose lag cannot be estimated, and the reason. */
export interface NotEstimated {
  readonly processorName: string
  readonly leases: number
  readonly reason: string
}

/** The lag of deployment units. */
export interface Lag {
  readonly leases: readonly EstimateRow[]
  /** The units whose leases are missing from `leases`, because their lag cannot be estimated. */
  readonly notEstimated: readonly NotEstimated[]
  /** Jobs that make no progress because a role does not run, or null if there are none. */
  readonly standing: StandingWork | null
}

/** The lag of a lease, and the name of its deployment unit. */
export type EstimateRow = { readonly processorName: string } & LeaseEstimate

/**
 * Returns the leases of deployment units, sorted by processor name and range.
 *
 * @throws UnitNotFound, StoreUnavailable or StoreRefused, each with advice
 */
export function listLeases(selection: UnitSelection): Promise<readonly LeaseRow[]> {
  return looking(selection, async ({ inspection }) =>
    readableUnits(inspection, selection).flatMap((unit) =>
      rowsOf(unit, inspection.storeTimeMs, expirationOf(selection)),
    ),
  )
}

/**
 * Returns the names of the agents in all running instances, or null if an instance does not say which it has.
 *
 * @throws StoreUnavailable or StoreRefused, each with advice
 */
export function runningAgents(selection: UnitSelection): Promise<ReadonlySet<string> | null> {
  return looking(selection, async ({ inspection }) => agentsIn(inspection, expirationOf(selection)).names)
}

/**
 * Returns the lag of each lease of deployment units.
 *
 * @throws UnitNotFound, StoreUnavailable or StoreRefused, each with advice
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

/**
 * Returns the newest dead letters in a container of the connection's database, newest first: changes that a processor with
 * this container as `deadLetter` has set aside.
 *
 * @throws ContainerNotFound, StoreUnavailable or StoreRefused, each with advice
 */
export async function listDeadLetters(
  selection: Connection,
  { container, limit }: { readonly container: string; readonly limit: number },
): Promise<readonly StoredDeadLetter[]> {
  const connection = await openConnection(selection)
  try {
    return await newestDeadLetters(
      connection.client.database(connection.database).container(container),
      limit,
    )
  } catch (error) {
    const { kind } = cosmosErrorKind(error)
    const missing = `container ${JSON.stringify(container)} does not exist in database ${JSON.stringify(connection.database)}`
    if (kind === 'notFound')
      throw new ContainerNotFound(
        `${missing}: name the container that is the "deadLetter" of the processor's failurePolicy, and its database`,
      )
    throw explained(connection, error)
  } finally {
    connection.close()
  }
}

/**
 * Returns the number of a unit's leases if no estimator can read them. An estimator reads either all leases
 * of a unit or none.
 */
function notEstimated({ processorName, leases, refused, isJavas }: NamedUnit): NotEstimated[] {
  const [first] = refused
  if (first === undefined) return []
  const reason = isJavas ? 'the Java SDK wrote them, and only the tools of that SDK read them' : first.reason
  return [{ processorName, leases: leases.length + refused.length, reason }]
}

function agentsOf({ report }: Pick<Lease, 'report'>): LeaseAgents | null {
  const read = readAgentsReport(report)
  if (read === null) return null
  const { position, ...agents } = read
  const lines = [...(position?.lines.values() ?? [])]
  return { ...agents, waitingSinceMs: lines.length === 0 ? null : Math.min(...lines) }
}

function rowsOf(
  { processorName, leases, refused }: NamedUnit,
  storeTimeMs: number | null,
  expirationMs: number,
): LeaseRow[] {
  const silent = ownerless(leases, { storeTimeMs, expirationMs })
  const written = (storedAtMs: number): Pick<LeaseRow, 'renewedAt' | 'ageMs'> => ({
    renewedAt: new Date(storedAtMs).toISOString(),
    ageMs: storeTimeMs === null ? null : Math.max(0, storeTimeMs - storedAtMs),
  })
  const read = leases.map((lease) => {
    const { leaseToken, owner, version, continuationToken, storedAtMs } = lease
    const clockOffsetMs = clockOffsetOf(lease)
    return {
      processorName,
      leaseToken,
      owner,
      isExpired: silent.has(leaseToken),
      version,
      continuationToken,
      ...written(storedAtMs),
      requestedBy: lease.handover?.instanceName ?? null,
      clockOffsetMs,
      isClockWrong: Math.abs(clockOffsetMs ?? 0) > toleratedSkewMs,
      agents: owner === null ? null : agentsOf(lease),
      notRead: null,
    }
  })
  const notRead = refused.map(({ rule, document }) => ({
    processorName,
    leaseToken: String(document['PartitionId'] ?? document['LeaseToken']),
    owner: typeof document['Owner'] === 'string' ? document['Owner'] : null,
    isExpired: false,
    version: null,
    continuationToken: null,
    ...written(Number(document['_ts']) * 1_000),
    requestedBy: null,
    clockOffsetMs: null,
    isClockWrong: false,
    agents: null,
    notRead: rule === 'javaLease' ? ('Java SDK' as const) : ('refused' as const),
  }))
  return [...read, ...notRead]
}

/** A request for the lease is stored without a sign of life of the owner, so it says nothing about the owner's clock. */
function clockOffsetOf({ owner, handover, timestampMs, storedAtMs }: Lease): number | null {
  return owner === null || handover !== null || timestampMs === null ? null : timestampMs - storedAtMs
}

/** The rules of names of containers and databases, each with the check whether a name breaks it. */
const nameRules: readonly (readonly [rule: string, isBroken: (name: string) => boolean])[] = [
  ['have 1 to 255 characters', (name) => !/^.{1,255}$/su.test(name)],
  ['contain none of / \\ # ?', (name) => /[/\\#?]/u.test(name)],
  ['not begin or end with a space', (name) => name !== '' && name.trim() !== name],
  ['not consist of dots alone', (name) => /^\.+$/u.test(name)],
]

/** Returns the rules that this name of a container or of a database breaks, or null. */
export function containerNameProblem(name: string): string | null {
  const broken = nameRules.flatMap(([rule, isBroken]) => (isBroken(name) ? [rule] : []))
  return broken.length === 0 ? null : `must ${broken.join(', and ')}`
}

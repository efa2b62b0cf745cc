import type { Container } from '@azure/cosmos'
import {
  accountHostOf,
  cosmosErrorKind,
  probeContainer,
  type ContainerSettings,
  type LeaseDocument,
} from '../../../lease-store/internal.js'
import type { PhysicalRange } from '../feed/change-feed.js'
import { CosmosChangeFeed } from '../feed/cosmos-change-feed.js'
import { unitsOf, type UnitDocuments } from './units.js'

/** A container that could not be inspected. */
export interface Obstacle {
  readonly kind: 'missing' | 'forbidden'
  readonly container: string
  /** The data action that is forbidden to the identity, or that failed because the container is missing. */
  readonly action: string
}

/** The state of a lease container and its monitored container at one moment. */
export interface Inspection {
  readonly leaseContainer: string
  readonly accountHost: string
  readonly obstacles: readonly Obstacle[]
  /** The settings of the lease container, or null if the settings could not be read. */
  readonly leaseContainerSettings: ContainerSettings | null
  /** The physical ranges of the monitored container, or null if the ranges could not be read. */
  readonly physicalRanges: readonly PhysicalRange[] | null
  readonly units: readonly UnitDocuments[]
  /** Milliseconds since the epoch by the store's clock, or null if the store's answers contain no time. */
  readonly storeTimeMs: number | null
  /** The time by this host's clock at the same moment. */
  readonly ownTimeMs: number
}

/** The containers to inspect, and this host's clock. */
export interface InspectionOptions {
  readonly monitoredContainer: Container
  readonly leaseContainer: Container
  readonly now: () => number
}

const actions = {
  settings: 'Microsoft.DocumentDB/databaseAccounts/readMetadata',
  feed: 'Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/readChangeFeed',
  query: 'Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/executeQuery',
}

/**
 * Reads the settings of both containers and all documents of all units, and changes nothing. Missing
 * containers and missing permissions (F-X15) are part of the result, so that the caller sees all of them
 * together. Rejects if the store does not answer.
 */
export async function inspect(options: InspectionOptions): Promise<Inspection> {
  const { monitoredContainer, leaseContainer, now } = options
  const looking = new Looking()
  const monitored = await looking.at(monitoredContainer, actions.settings, () =>
    probeContainer(monitoredContainer),
  )
  const own = await looking.at(leaseContainer, actions.settings, () => probeContainer(leaseContainer))
  const ownTimeMs = now()
  const feed = new CosmosChangeFeed({ container: monitoredContainer })
  const physicalRanges =
    monitored === null ? null : await looking.at(monitoredContainer, actions.feed, () => readableRanges(feed))
  const documents =
    own === null ? null : await looking.at(leaseContainer, actions.query, () => documentsOf(leaseContainer))
  const accountHost = await accountHostOf(monitoredContainer)
  const names = {
    accountHost,
    containerRid: monitored?.rid ?? '',
    databaseName: monitoredContainer.database.id,
    containerName: monitoredContainer.id,
    physicalRanges: physicalRanges ?? [],
  }
  return {
    leaseContainer: leaseContainer.id,
    accountHost,
    obstacles: looking.obstacles,
    leaseContainerSettings: own?.settings ?? null,
    physicalRanges,
    units: monitored === null ? [] : unitsOf(documents ?? [], names),
    storeTimeMs: own?.storeTimeMs ?? monitored?.storeTimeMs ?? null,
    ownTimeMs,
  }
}

/** Records missing containers and forbidden actions, and continues. */
class Looking {
  readonly obstacles: Obstacle[] = []

  async at<T>(container: Container, action: string, look: () => Promise<T>): Promise<T | null> {
    try {
      return await look()
    } catch (error) {
      const { kind } = cosmosErrorKind(error)
      if (kind !== 'notFound' && kind !== 'forbidden') throw error
      this.obstacles.push({
        kind: kind === 'notFound' ? 'missing' : 'forbidden',
        container: container.id,
        action,
      })
      return null
    }
  }
}

/** Returns the physical ranges. Also reads the feed, because that read needs a separate permission. */
async function readableRanges(feed: CosmosChangeFeed): Promise<readonly PhysicalRange[]> {
  const ranges = await feed.physicalRanges()
  const [feedRange] = ranges
  if (feedRange !== undefined) {
    const { signal } = new AbortController()
    await feed.readNext({ feedRange, start: { kind: 'now' } }, { maxItemCount: 1, signal })
  }
  return ranges
}

async function documentsOf(container: Container): Promise<readonly LeaseDocument[]> {
  const { resources } = await container.items.query<LeaseDocument>('SELECT * FROM c').fetchAll()
  return resources
}

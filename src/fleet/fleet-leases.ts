import { CosmosLeaseStore, type LeaseStore } from '../../lease-store/index.js'
import { ChangeFeedEstimator } from '../change-feed-processor/index.js'
import type { Clock } from '../platform/index.js'
import { withinLimit } from '../platform/internal.js'
import type { Connection, Role } from '../connection/index.js'
import { openConnection, processorNameOf } from '../connection/internal.js'
import { releaseLeasesOf } from './release-leases.js'

export interface RoleBacklog {
  readonly role: Role
  readonly leaseCount: number
  /**
   * An upper bound for the number of changes that are not yet checkpointed, summed over the role's leases. A
   * lease with an unknown backlog counts as 1.
   */
  readonly estimatedLag: number
  /** The age of the oldest of these changes in milliseconds, or null if no change waits. */
  readonly oldestAgeMs: number | null
}

interface RoleLeases {
  readonly role: Role
  readonly leaseStore: LeaseStore
  readonly estimator: ChangeFeedEstimator
}

/** The time to wait for the store's answer. After that, a status is shown without the answer. */
const answerWithinMs = 3_000

/** Reads the backlog of the fleet's roles, and releases the leases of dead processes. */
export class FleetLeases {
  private units: Promise<readonly RoleLeases[]> | null = null
  private close: () => void = () => undefined

  constructor(
    private readonly connection: Connection & { readonly unitPrefix?: string },
    private readonly roles: readonly Role[],
    private readonly clock: Clock,
  ) {}

  /**
   * Releases every lease of the instance and returns the lease tokens. Gives up if the store does not answer.
   * In that case, the leases expire later (I8).
   */
  async release(instanceName: string): Promise<readonly string[]> {
    const now = this.clock.now()
    const released = await this.asking(({ leaseStore }) => releaseLeasesOf(instanceName, leaseStore, now))
    return released?.flat() ?? []
  }

  /** Returns the backlog of each role. Returns null if the store does not answer within three seconds. */
  backlog(): Promise<readonly RoleBacklog[] | null> {
    return withinLimit(this.clock, answerWithinMs, this.asking(backlogOf), () => null)
  }

  dispose(): void {
    this.close()
    this.close = () => undefined
    this.units = null
  }

  private async asking<T>(ask: (unit: RoleLeases) => Promise<T>): Promise<readonly T[] | null> {
    try {
      this.units ??= this.open()
      return await Promise.all((await this.units).map(ask))
    } catch {
      this.dispose()
      return null
    }
  }

  private async open(): Promise<readonly RoleLeases[]> {
    const { connection: given, roles } = this
    const connection = await openConnection(given)
    this.close = () => connection.close()
    const database = connection.client.database(connection.database)
    const leaseContainer = database.container(connection.leaseContainer)
    const monitoredContainer = database.container(connection.container)
    return Promise.all(
      roles.map(async (role) => {
        const unit = {
          leaseContainer,
          monitoredContainer,
          processorName: processorNameOf(role, given.unitPrefix),
        }
        return {
          role,
          leaseStore: await CosmosLeaseStore.open(unit),
          estimator: new ChangeFeedEstimator(unit),
        }
      }),
    )
  }
}

async function backlogOf({ role, estimator }: RoleLeases): Promise<RoleBacklog> {
  let [leaseCount, estimatedLag] = [0, 0]
  let oldestAgeMs: number | null = null
  for await (const lease of estimator.leases()) {
    leaseCount += 1
    estimatedLag += lease.estimatedLag
    if (lease.oldestAgeMs !== null) oldestAgeMs = Math.max(oldestAgeMs ?? 0, lease.oldestAgeMs)
  }
  return { role, leaseCount, estimatedLag, oldestAgeMs }
}

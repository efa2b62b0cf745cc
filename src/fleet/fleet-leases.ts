import { CosmosLeaseStore, type LeaseStore } from '../../lease-store/index.js'
import { ChangeFeedEstimator } from '../change-feed-processor/index.js'
import type { Clock } from '../platform/index.js'
import { openConnection, type Connection } from '../connection/connection.js'
import { processorNameOf, type Role } from '../connection/role.js'
import { releaseLeasesOf } from './release-leases.js'

/** How far a role is behind. */
export interface RoleBacklog {
  readonly role: Role
  readonly leaseCount: number
  /** Changes not yet checkpointed, of all its leases together; never less than there are. */
  readonly estimatedLag: number
  /** Age of the oldest of them; null when none waits. */
  readonly oldestAgeMs: number | null
}

/** The leases of one role, and how far they are behind. */
interface RoleLeases {
  readonly role: Role
  readonly leaseStore: LeaseStore
  readonly estimator: ChangeFeedEstimator
}

/** Who looks at processes does not wait longer for a store. */
const answerWithinMs = 3_000

/** The leases of a role's processes, as their parent looks at them: how many, how far behind, and whose are to be released. */
export class FleetLeases {
  private units: Promise<readonly RoleLeases[]> | null = null
  private close: () => void = () => undefined

  constructor(
    private readonly connection: Connection & { readonly unitPrefix?: string },
    private readonly roles: readonly Role[],
    private readonly clock: Clock,
  ) {}

  /** Every lease it owned, in all roles. A store that does not answer is left alone: the leases expire (I8). */
  async release(instanceName: string): Promise<readonly string[]> {
    const now = this.clock.now()
    const released = await this.asking(({ leaseStore }) => releaseLeasesOf(instanceName, leaseStore, now))
    return released?.flat() ?? []
  }

  /** How far each role is behind; null when the store does not say within three seconds. */
  async backlog(): Promise<readonly RoleBacklog[] | null> {
    const inTime = new AbortController()
    const late = this.clock.sleep(answerWithinMs, inTime.signal).then(() => null)
    const backlog = await Promise.race([this.asking(backlogOf), late])
    inTime.abort()
    return backlog
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

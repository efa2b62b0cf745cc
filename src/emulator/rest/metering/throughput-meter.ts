import {
  partitionsFor,
  type Container,
  type CosmosEngine,
  type PhysicalPartition,
} from '../../engine/index.js'

interface Budget {
  readonly name: string
  readonly unitsPerSecond: number
}

/**
 * Limits containers to the throughput of their offers. Each physical partition has an equal share for each
 * second of the engine's clock. A request is accepted if any units of the second are left. If it costs more
 * than these units, the rest is taken from the following seconds. Containers that share their database's
 * throughput use the same budgets. The meter forgets the spent units at a restart.
 */
export class ThroughputMeter {
  /** The request units spent from each budget, and the second in which they were counted. */
  private readonly accounts = new Map<string, { readonly second: number; readonly spent: number }>()

  constructor(private readonly engine: CosmosEngine) {}

  /** Returns the milliseconds until a request to these partitions is accepted, or 0 if it is accepted now. */
  delayMs(container: Container, partitions: readonly PhysicalPartition[]): number {
    const waits = this.budgets(container, partitions).map((budget) => this.waitMs(budget))
    return Math.max(0, ...waits)
  }

  /** Charges the budgets of the partitions in equal parts. */
  spend(container: Container, partitions: readonly PhysicalPartition[], charge: number): void {
    const second = this.second()
    for (const budget of this.budgets(container, partitions)) {
      const spent = this.spent(budget) + charge / partitions.length
      this.accounts.set(budget.name, { second, spent })
    }
  }

  /** Returns the budgets of partitions. Containers created on the engine may have no offer and no limit. */
  private budgets(container: Container, partitions: readonly PhysicalPartition[]): readonly Budget[] {
    const own = this.engine.offers.of(container.rid)
    const offer = own ?? this.engine.offers.of(container.databaseRid)
    if (offer === undefined) return []
    const count = own === undefined ? partitionsFor(offer.throughput) : container.partitions.length
    const unitsPerSecond = offer.throughput.maxRequestUnits / count
    return partitions.map((partition) => {
      const share = own === undefined ? container.partitions.indexOf(partition) % count : partition.id
      return { name: `${offer.rid}/${share}`, unitsPerSecond }
    })
  }

  private waitMs(budget: Budget): number {
    const excess = this.spent(budget) - budget.unitsPerSecond
    if (excess < 0) return 0
    const secondsOwed = 1 + Math.floor(excess / budget.unitsPerSecond)
    return (this.second() + secondsOwed) * 1000 - this.engine.now()
  }

  /**
   * Returns the spent units of the current second. Each second that has passed pays for a part of the earlier
   * spending.
   */
  private spent({ name, unitsPerSecond }: Budget): number {
    const account = this.accounts.get(name)
    if (account === undefined) return 0
    return Math.max(0, account.spent - (this.second() - account.second) * unitsPerSecond)
  }

  private second(): number {
    return Math.floor(this.engine.now() / 1000)
  }
}

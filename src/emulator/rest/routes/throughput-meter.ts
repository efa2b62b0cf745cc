import {
  partitionsFor,
  type Container,
  type CosmosEngine,
  type PhysicalPartition,
} from '../../engine/index.js'

/** Request units spent from one budget, as of one second. */
interface Account {
  readonly second: number
  readonly spent: number
}

/** A budget that requests draw on. */
interface Budget {
  readonly name: string
  readonly unitsPerSecond: number
}

/**
 * Holds containers to the throughput of their offers: each physical partition has an equal share of it for each second of
 * the engine's clock. A request is let in while anything is left of the second; what it then costs beyond that is owed by
 * the seconds that follow. Containers that share their database's throughput draw on the same budgets. Spending is
 * not kept over a restart.
 */
export class ThroughputMeter {
  private readonly accounts = new Map<string, Account>()

  constructor(private readonly engine: CosmosEngine) {}

  /** Milliseconds until a request to these partitions is let in; 0 when it is now. */
  delayMs(container: Container, partitions: readonly PhysicalPartition[]): number {
    const waits = this.budgets(container, partitions).map((budget) => this.waitMs(budget))
    return Math.max(0, ...waits)
  }

  /** Takes a charge from the budgets of partitions, in equal parts. */
  spend(container: Container, partitions: readonly PhysicalPartition[], charge: number): void {
    const second = this.second()
    for (const budget of this.budgets(container, partitions)) {
      const spent = this.spent(budget) + charge / partitions.length
      this.accounts.set(budget.name, { second, spent })
    }
  }

  /** None for a container made without an offer, straight on the engine: nothing holds it. */
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

  /** What is spent of this second's units: every second that has passed has paid for its own. */
  private spent({ name, unitsPerSecond }: Budget): number {
    const account = this.accounts.get(name)
    if (account === undefined) return 0
    return Math.max(0, account.spent - (this.second() - account.second) * unitsPerSecond)
  }

  private second(): number {
    return Math.floor(this.engine.now() / 1000)
  }
}

import { leaseTokenOf } from '../../lease-store/internal.js'
import type { Change, ChangeFeed, FeedPosition, FeedStart } from '../../src/change-feed-processor/index.js'
import { DotnetLeases, dotnetWiring, type DotnetLease } from './dotnet-leases.js'
import { dotnetTakes } from './dotnet-rule.js'
import { feedWiring } from '../../src/testing/lease-wiring.js'
import { leases, monitored } from './processor-unit.js'
import type { Computer, SimulatedProcess } from '../../src/testing/simulated-process.js'
import type { World } from '../../src/testing/world.js'

const [balanceMs, renewMs, expirationMs, pollMs] = [13_000, 17_000, 60_000, 5_000]
const mostConflicts = 6

/**
 * A host of the .NET SDK in the same unit, with the rules that affect other hosts. It judges expiry by the
 * `timestamp` that its own clock and those of others have written. It steals one lease per cycle, even from
 * an owner at work. It notices a lost lease only when it renews or checkpoints. It has no etag for the
 * children of a split that it made itself, so it overwrites the lease of a new owner.
 */
export class DotnetHost {
  readonly process: SimulatedProcess
  private readonly leases: DotnetLeases
  private readonly feed: ChangeFeed
  /** By token, the last state of the lease that this host knows. */
  private readonly held = new Map<string, DotnetLease>()

  constructor(
    private readonly world: World,
    computer: Computer,
  ) {
    this.process = world.process(computer)
    const { network, ports } = world
    this.leases = network.connect(new DotnetLeases(() => world.container(leases)), this.process, dotnetWiring)
    this.feed = network.connect(ports.changeFeed(monitored), this.process, feedWiring('dotnet'))
  }

  get name(): string {
    return this.process.computer.name
  }

  start(): void {
    this.repeat(balanceMs, () => this.balance())
  }

  /**
   * Repeats an action after each rest, until it returns false. A failed action is repeated after the next
   * rest.
   */
  private repeat(restMs: number, act: () => Promise<boolean>): void {
    this.process.clock.schedule(restMs, () => {
      act().then(
        (goesOn) => {
          if (goesOn) this.repeat(restMs, act)
        },
        () => {
          this.repeat(restMs, act)
        },
      )
    })
  }

  private async balance(): Promise<boolean> {
    const listed = await this.leases.list()
    const owners = listed.map((lease) => (this.isExpired(lease) ? null : lease.Owner))
    for (const index of dotnetTakes(owners, this.name)) {
      const lease = listed[index]
      if (lease !== undefined && !this.held.has(lease.LeaseToken)) await this.acquire(lease)
    }
    return true
  }

  private isExpired({ timestamp }: DotnetLease): boolean {
    return timestamp === null || Date.parse(timestamp) + expirationMs < this.process.clock.now()
  }

  private async acquire(lease: DotnetLease): Promise<void> {
    const seen = lease.Owner
    const taken = await this.update(lease, (stored) => (stored.Owner === seen ? { Owner: this.name } : null))
    if (taken !== null) this.hold(taken)
  }

  private hold(lease: DotnetLease): void {
    const { LeaseToken } = lease
    this.held.set(LeaseToken, lease)
    this.repeat(renewMs, () => this.renew(LeaseToken))
    this.process.clock.schedule(0, () => {
      this.read(LeaseToken, positionOf(lease)).catch((error: unknown) => {
        this.world.problems.push(`a .NET host broke off: ${String(error)}`)
      })
    })
  }

  /** Renews a lease. Reads it first, unlike a checkpoint. Returns whether this host still owns the lease. */
  private async renew(leaseToken: string): Promise<boolean> {
    const lease = this.held.get(leaseToken)
    if (lease === undefined) return false
    const stored = await this.leases.read(lease)
    return this.kept(leaseToken, stored === null ? null : await this.update(stored, this.ifOwn({})))
  }

  private async checkpoint(leaseToken: string, ContinuationToken: string): Promise<void> {
    const lease = this.held.get(leaseToken)
    if (lease === undefined) return
    const written = await this.update(lease, this.ifOwn({ ContinuationToken }))
    if (this.kept(leaseToken, written) && written !== null) this.held.set(leaseToken, written)
  }

  private ifOwn(fields: Partial<DotnetLease>): (stored: DotnetLease) => Partial<DotnetLease> | null {
    return ({ Owner }) => (Owner === this.name ? fields : null)
  }

  private kept(leaseToken: string, written: DotnetLease | null): boolean {
    if (written === null) this.held.delete(leaseToken)
    return written !== null
  }

  /**
   * Updates a lease, and repeats that on the stored state as long as the etag differs. Returns null when the
   * lease may no longer be changed.
   */
  private async update(
    lease: DotnetLease,
    change: (stored: DotnetLease) => Partial<DotnetLease> | null,
  ): Promise<DotnetLease | null> {
    let base: DotnetLease | null = lease
    for (let conflicts = 0; conflicts < mostConflicts && base !== null; conflicts += 1) {
      const fields = change(base)
      if (fields === null) return null
      const timestamp = new Date(this.process.clock.now()).toISOString()
      const changed: DotnetLease = { ...base, ...fields, timestamp }
      if (await this.leases.replace(changed)) return changed
      base = await this.leases.read(base)
    }
    return null
  }

  private async read(leaseToken: string, first: FeedPosition): Promise<void> {
    let position = first
    const { signal } = new AbortController()
    while (this.held.has(leaseToken)) {
      try {
        if (await this.converted(leaseToken, position)) return
        const page = await this.feed.readNext(position, { maxItemCount: 100, signal })
        const [next, ...others] = page.next
        if (page.changes.length > 0) await this.deliver(leaseToken, position, page.changes)
        if (next === undefined || others.length > 0) {
          await this.split(leaseToken, page.next)
          return
        }
        position = next
        const { start } = next
        if (page.changes.length > 0 && start.kind === 'continuation')
          await this.checkpoint(leaseToken, start.token)
        if (page.isDrained) await this.process.clock.sleep(pollMs)
      } catch {
        await this.process.clock.sleep(pollMs)
      }
    }
  }

  private async deliver(
    leaseToken: string,
    { feedRange }: FeedPosition,
    changes: readonly Change[],
  ): Promise<void> {
    const delivery = { processId: this.process.id, leaseToken, feedRange, changes }
    this.world.record({ type: 'delivery.started', ...delivery })
    await this.process.clock.sleep(200)
    this.world.record({ type: 'delivery.accepted', ...delivery })
  }

  /**
   * Converts a lease of version 0, which is read by the partition it names. If that partition is gone and one
   * partition has its keys, it was merged. Then the lease is replaced by one of version 1, which is read by
   * its bounds.
   */
  private async converted(leaseToken: string, { feedRange, start }: FeedPosition): Promise<boolean> {
    const lease = this.held.get(leaseToken)
    const { partitions } = this.world.container(monitored)
    if (lease?.version !== 0 || partitions.some(({ id }) => id === leaseToken)) return false
    const isOne = partitions.some(({ range }) => range.min <= feedRange.min && range.max >= feedRange.max)
    if (isOne) await this.split(leaseToken, [{ feedRange, start }])
    return isOne
  }

  /**
   * Splits a lease. Creates the children first and takes each at once with the state this host knows, which
   * has no etag. Deletes the parent last.
   */
  private async split(leaseToken: string, parts: readonly FeedPosition[]): Promise<void> {
    const parent = this.held.get(leaseToken)
    if (parent === undefined) return
    const ranges = await this.feed.physicalRanges()
    for (const { feedRange, start } of parts) {
      const partition = ranges.find(({ min, max }) => min === feedRange.min && max === feedRange.max)
      const LeaseToken = partition?.id ?? leaseTokenOf(feedRange)
      const child: DotnetLease = {
        ...parent,
        id: parent.id.replace(/\.\..*$/u, `..${LeaseToken}`),
        version: partition === undefined ? 1 : 0,
        _etag: null,
        LeaseToken,
        FeedRange: { Range: { min: feedRange.min, max: feedRange.max } },
        Owner: null,
        ContinuationToken: tokenOf(start),
      }
      if (await this.leases.create(child)) await this.acquire(child)
    }
    await this.leases.remove(parent)
    this.held.delete(leaseToken)
  }
}

function positionOf({ FeedRange, ContinuationToken: token }: DotnetLease): FeedPosition {
  return {
    feedRange: FeedRange.Range,
    start: token === null ? { kind: 'beginning' } : { kind: 'continuation', token },
  }
}

function tokenOf(start: FeedStart): string | null {
  return start.kind === 'continuation' ? start.token : null
}

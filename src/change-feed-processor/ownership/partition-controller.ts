import { acquire, requestHandover, withdrawRequest, type Lease } from '../../../lease-store/index.js'
import type { CloseReason } from '../delivery/close-reason.js'
import { isSameOwner } from '../../../lease-store/internal.js'
import { FeedError } from '../feed/errors.js'
import { LeaseHolder } from '../lease-holding/lease-holder.js'
import { PartitionSupervisor } from '../reading/partition-supervisor.js'
import type { Runtime } from '../runtime/runtime.js'
import { childLeases } from './split.js'

interface Held {
  readonly holder: LeaseHolder
  readonly supervisor: PartitionSupervisor
  readonly ended: Promise<void>
}

/**
 * Keeps the leases that this instance holds, each with its holder and its supervisor. `acquire` adds a lease.
 * When the supervisor of a lease has ended, the controller closes and removes the lease. To close a lease,
 * the controller releases the lease or replaces it with its children. A lost lease is left unchanged. After
 * `stop` no lease is added.
 */
export class PartitionController {
  private readonly held = new Map<string, Held>()
  /**
   * The leases that are being acquired. A second call does not acquire such a lease, even if a listing
   * already shows this instance as its owner, because two holders of one lease would overwrite each other.
   */
  private readonly acquiring = new Set<string>()
  /** The leases that this instance has requested and has not got yet. */
  private readonly requested = new Set<string>()
  private isStopping = false

  constructor(
    private readonly runtime: Runtime,
    /** Called after a hand-over if this instance may have to take the lease again before its next check. */
    private readonly onHandedOver: () => void = () => undefined,
  ) {}

  /** Returns whether this instance holds the lease. A lease that is being released still counts as held. */
  holds(leaseToken: string): boolean {
    return this.held.has(leaseToken)
  }

  get heldCount(): number {
    return this.held.size
  }

  /**
   * Acquires the lease if it is unchanged (I12), and returns whether this instance now owns the lease.
   *
   * @param isShared whether other leases cover a part of the range
   */
  async acquire(lease: Lease, { isShared }: { readonly isShared: boolean }): Promise<boolean> {
    const { leaseToken } = lease
    if (this.isStopping || this.holds(leaseToken) || this.acquiring.has(leaseToken)) return false
    this.acquiring.add(leaseToken)
    try {
      return await this.acquireOnce(lease, isShared)
    } finally {
      this.acquiring.delete(leaseToken)
    }
  }

  /** Asks the owner of an unchanged lease for a hand-over. Returns whether the request was written. */
  async request(lease: Lease): Promise<boolean> {
    const { leaseStore, self, telemetry, notifications } = this.runtime
    const { leaseToken, owner } = lease
    if (this.isStopping || owner === null) return false
    // The request may be stored although its answer is lost.
    this.requested.add(leaseToken)
    const outcome = await leaseStore.replace(requestHandover(lease, self))
    if (outcome.kind === 'conflict' || outcome.kind === 'notFound') this.requested.delete(leaseToken)
    if (outcome.kind === 'written')
      telemetry.emit({ type: 'lease.requested', ...notifications.on(leaseToken), owner })
    else telemetry.emit({ type: 'store.conflict', operation: 'lease.requestHandover', id: leaseToken })
    return outcome.kind === 'written'
  }

  /**
   * Wakes the reader of the lease with this range's id, or all readers if this instance does not hold that
   * lease. Returns whether this instance holds that lease.
   */
  wake(physicalRangeId: string | null): boolean {
    const known = physicalRangeId === null ? undefined : this.held.get(physicalRangeId)
    for (const { supervisor } of known === undefined ? this.held.values() : [known]) supervisor.wake()
    return known !== undefined
  }

  /**
   * Ends every supervisor and releases every lease. Idle leases are released without waiting for the others.
   */
  async stop(): Promise<void> {
    this.isStopping = true
    const withdrawn = this.withdrawAll()
    while (this.held.size > 0) {
      const ending = [...this.held.values()]
      for (const { supervisor } of ending) supervisor.shutDown()
      await Promise.all(ending.map(({ ended }) => ended))
    }
    await withdrawn
  }

  private async withdrawAll(): Promise<void> {
    await Promise.all([...this.requested].map((leaseToken) => this.withdraw(leaseToken)))
  }

  /** Withdraws the request for a lease. Otherwise the lease would stay reserved for this instance. */
  private async withdraw(leaseToken: string): Promise<void> {
    const { leaseStore, self, telemetry, options } = this.runtime
    this.requested.delete(leaseToken)
    try {
      // The owner may write the lease in between.
      for (let tries = 0; tries < 3; tries += 1) {
        const lease = await leaseStore.read(leaseToken)
        const requester = lease?.handover ?? null
        if (lease === null || requester === null || !isSameOwner(requester, self)) return
        if ((await leaseStore.replace(withdrawRequest(lease))).kind === 'written') return
      }
    } catch (error) {
      const { processorName, instanceName } = options
      telemetry.emit({ type: 'balance.failed', processorName, instanceName, error })
    }
  }

  /** Releases every lease after its current page, and withdraws all requests. The controller may acquire leases afterwards. */
  async giveWay(): Promise<void> {
    for (const { supervisor } of this.held.values()) supervisor.handOver()
    await this.withdrawAll()
  }

  /** Leaves the leases unchanged in the store. Other instances take over the leases when they expire. */
  abandon(): void {
    this.isStopping = true
    for (const { holder } of this.held.values()) holder.abandon()
    this.held.clear()
  }

  private async acquireOnce(lease: Lease, isShared: boolean): Promise<boolean> {
    const { leaseStore, clock, self, telemetry, options } = this.runtime
    const startedAtMs = clock.monotonic()
    const acquired = { ...acquire(lease, self, clock.now()), report: options.report(lease.leaseToken) }
    const outcome = await leaseStore.replace(acquired)
    // If the outcome is unknown and this instance owns the lease, the next check acquires the lease again.
    if (outcome.kind === 'written') {
      this.requested.delete(lease.leaseToken)
      // Without a report, the lease may be new, or a .NET host may have released it. Then an earlier owner may not know yet
      // that it has lost the lease.
      const wasReleased = lease.owner === null && lease.report !== null
      const how = { isShared, releasedAtMs: wasReleased ? lease.storedAtMs : undefined }
      this.hold(new LeaseHolder(this.runtime, outcome.lease, startedAtMs, how), lease.owner)
    } else telemetry.emit({ type: 'store.conflict', operation: 'lease.acquire', id: lease.leaseToken })
    return outcome.kind === 'written'
  }

  private hold(holder: LeaseHolder, takenFrom: string | null): void {
    const { lease } = holder
    const supervisor = new PartitionSupervisor(this.runtime, holder)
    if (this.isStopping) supervisor.shutDown()
    holder.asked.addEventListener(
      'abort',
      () => {
        supervisor.handOver()
      },
      { once: true },
    )
    holder.start()
    this.runtime.notifications.acquired(lease, takenFrom)
    const ended = this.supervise(supervisor, holder).finally(() => {
      this.held.delete(lease.leaseToken)
    })
    this.held.set(lease.leaseToken, { holder, supervisor, ended })
  }

  private async supervise(supervisor: PartitionSupervisor, holder: LeaseHolder): Promise<void> {
    const { notifications } = this.runtime
    const { leaseToken } = holder.lease
    const closing = await supervisor.run()
    if (closing.reason !== 'LeaseLost') await this.runtime.options.onClosing(leaseToken)
    try {
      await this.close(closing, holder)
    } catch (error) {
      // For example, only half of a split may be done. The next owner of the lease finishes the split.
      const attempted = `lease ${JSON.stringify(leaseToken)} was not closed after ${closing.reason}`
      notifications.failed(leaseToken, new FeedError(attempted, error))
      await holder.release()
    }
    notifications.released(leaseToken, closing.reason)
    if (closing.reason === 'HandedOver' && this.mayComeBack(holder)) this.onHandedOver()
  }

  /** Checks whether a lease that was handed over has no requester any more, or one whose end this instance can see. */
  private mayComeBack({ lease: { handover }, asked }: LeaseHolder): boolean {
    if (handover === null) return asked.aborted
    return handover.process !== undefined && this.runtime.options.processes.isNeighbour(handover.process)
  }

  private async close(closing: CloseReason, holder: LeaseHolder): Promise<void> {
    switch (closing.reason) {
      case 'LeaseLost':
        return
      case 'Shutdown':
      case 'HandedOver':
      case 'DelegateError':
        return holder.release()
      case 'FeedError':
        this.runtime.notifications.failed(holder.lease.leaseToken, closing.error)
        return holder.release()
      case 'Split':
        return this.split(holder, closing.parts)
    }
  }

  /**
   * Creates the children first and deletes the parent last. After a crash in between, the next reader of the
   * parent finds the split again, keeps the existing children and continues the split. Changes may be
   * delivered twice, but none is left out.
   */
  private async split(
    holder: LeaseHolder,
    parts: Extract<CloseReason, { reason: 'Split' }>['parts'],
  ): Promise<void> {
    const { feed, leaseStore, telemetry, notifications, options } = this.runtime
    if (!(await holder.flush())) return
    const parent = holder.lease
    const children = childLeases(parent, parts, await feed.physicalRanges())
    const created: Lease[] = []
    for (const child of children) {
      const outcome = await leaseStore.create(child)
      if (outcome.kind === 'created') created.push(outcome.lease)
    }
    await holder.remove()
    const tokens = children.map((child) => child.leaseToken)
    telemetry.emit({ type: 'lease.split', ...notifications.on(parent.leaseToken), children: tokens })
    // If `maxLeases` is set, the load balancer decides, because it sees the leases of all instances.
    if (options.maxLeases === null) for (const child of created) await this.acquire(child, holder)
  }
}

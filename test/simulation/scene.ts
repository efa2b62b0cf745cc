import type { Change } from '../../src/change-feed-processor/index.js'
import type { Random } from '../../src/platform/index.js'
import { DeliveryChecker } from './delivery-checker.js'
import { DotnetHost } from './dotnet-host.js'
import { Faults, type FaultOptions } from '../../src/testing/faults.js'
import { LeaseChecker } from './lease-checker.js'
import { monitored, ProcessorUnit, type ProcessorUnitOptions } from './processor-unit.js'
import type { Computer } from '../../src/testing/simulated-process.js'
import { lsnOf } from '../../src/testing/stored-lease.js'
import { Workload } from './workload.js'
import { World } from '../../src/testing/world.js'

export interface SceneOptions extends Omit<ProcessorUnitOptions, 'delegate'> {
  readonly seed: number
  readonly random: Random
  readonly computers: readonly Computer[]
  readonly faults: Omit<FaultOptions, 'random'>
  /** Changes that no delegate can process, and how the delegate fails. */
  readonly poison?: { readonly is: (change: Change) => boolean; readonly kind: 'throws' | 'hangs' }
  /** The probability that a delegate fails while faults last. Default 0. */
  readonly delegateFailures?: number
  /** The average time between two documents written from outside. Default 2,000. */
  readonly writeIntervalMs?: number
}

export interface Report {
  readonly seed: number
  /** A hash of all events, in order. */
  readonly hash: string
  readonly eventCount: number
  /** The broken invariants. Empty when every one held. */
  readonly problems: readonly string[]
  /** The time from the end of the faults until everything was right. */
  readonly recoveredInMs: number
  readonly faults: ReadonlyMap<string, number>
}

const [expirationMs, acquireMs, renewMs] = [60_000, 17_000, 13_000]

/**
 * The longest duration of work in progress: a slow request, a slow delegate, its back-off, a stop, a rest
 * between polls, a retry.
 */
const slackMs = 120_000 + 30_000 + 30_000 + 30_000 + 5_000 + 5_000

/**
 * The time after the last fault within which everything must be right (I8 for the processor). In this time a
 * dead owner's leases expire and are taken, unevenly taken leases are requested and handed over, and the
 * unread changes are delivered.
 */
const boundMs = expirationMs + 1_000 + renewMs + 4 * acquireMs + slackMs

/**
 * One deployment unit with all checkers. A run has two phases: safety, with all planned faults, and liveness
 * (`recover`), without faults, in which everything must become right within a bound.
 */
export class Scene {
  readonly world: World
  readonly unit: ProcessorUnit
  readonly faults: Faults
  readonly workload: Workload
  readonly deliveries: DeliveryChecker
  readonly ownership: LeaseChecker
  /** Hosts of another implementation in the same unit. */
  private readonly guests: DotnetHost[] = []

  constructor(readonly options: SceneOptions) {
    const { random } = options
    this.faults = new Faults({ random, ...options.faults })
    this.world = new World({ seed: options.seed, fateOf: (request) => this.faults.fateOf(request) })
    this.unit = new ProcessorUnit(this.world, {
      ...options,
      delegate: async (changes, { signal }, process) => {
        if (options.poison !== undefined && changes.some(options.poison.is)) {
          if (options.poison.kind === 'hangs') await new Promise(() => undefined)
          throw new Error('poison')
        }
        const isSlow = random.next() < 0.02
        await process.clock.sleep(random.next() * (isSlow ? 30_000 : 300), signal)
        if (signal.aborted) throw new Error('told to stop')
        const mayFail = !this.faults.isOver && random.next() < (options.delegateFailures ?? 0)
        if (mayFail) throw new Error('the delegate failed')
      },
    })
    this.deliveries = new DeliveryChecker(() => this.world.container(monitored))
    this.ownership = new LeaseChecker({
      now: () => this.world.time.now(),
      leaseExpirationIntervalMs: expirationMs,
      isKnownToHaveEnded: (id, by) => this.world.isKnownToHaveEnded(id, by),
      isForeign: (processId) => this.guests.some(({ process }) => process.id === processId),
    })
    this.world.watch(this.deliveries)
    this.world.watch(this.ownership)
    const intervalMs = options.writeIntervalMs ?? 2_000
    this.workload = new Workload({ world: this.world, keyCount: 20, intervalMs })
  }

  /** Starts a host of the .NET SDK in the same unit. */
  startDotnet(computer: Computer): DotnetHost {
    const guest = new DotnetHost(this.world, computer)
    this.guests.push(guest)
    guest.start()
    return guest
  }

  /** Advances the time, unless an invariant is broken. */
  async pass(ms: number): Promise<void> {
    await this.world.runUntil(() => false, ms)
  }

  /** Ends faults and writes, and waits until everything is right. */
  async recover(): Promise<Report> {
    const { world, faults } = this
    this.workload.stop()
    faults.stop()
    const endedAtMs = world.time.monotonic()
    const isRecovered = await world.runUntil(() => this.isRight(), boundMs)
    if (world.problems.length === 0 && !isRecovered)
      world.problems.push(`I8: not right ${boundMs} ms after the last fault: ${this.stateText()}`)
    return {
      seed: this.options.seed,
      hash: world.digest(),
      eventCount: world.eventCount,
      problems: world.problems,
      recoveredInMs: world.time.monotonic() - endedAtMs,
      faults: faults.counts,
    }
  }

  /**
   * Checks that everything is delivered, that leases are evenly held by living owners, and that each is read
   * to its end.
   */
  private isRight(): boolean {
    if (this.deliveries.openCount > 0) return false
    const { leases } = this.ownership
    const alive = [...this.unit.processes, ...this.guests.map(({ process }) => process)]
    const counts = new Map(alive.map(({ computer }) => [computer.name, 0]))
    for (const { owner } of leases) {
      const count = owner === null ? undefined : counts.get(owner)
      if (owner === null || count === undefined) return false
      counts.set(owner, count + 1)
    }
    if (Math.max(...counts.values()) - Math.min(...counts.values()) > 1) return false
    const container = this.world.container(monitored)
    return leases.every(({ feedRange, continuationToken }) => {
      const [partition, ...others] = container.partitionsIn(feedRange)
      if (partition === undefined || others.length > 0) return false
      return continuationToken !== null && lsnOf(continuationToken) >= partition.lsn
    })
  }

  private stateText(): string {
    const leases = this.ownership.leases.map(
      ({ leaseToken, owner, continuationToken }) =>
        `${leaseToken} of ${owner ?? 'no owner'} at ${continuationToken ?? 'no position'}`,
    )
    const alive = this.unit.processes.map(({ id, isRunning }) => (isRunning ? id : `${id} (paused)`))
    return `${this.deliveries.openCount} changes not accepted; leases ${leases.join(', ')}; alive ${alive.join(', ')}`
  }
}

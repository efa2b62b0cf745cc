import { seededRandom, type Random } from '../../src/platform/index.js'
import { Chaos } from './chaos.js'
import { DeliveryChecker } from './delivery-checker.js'
import { Faults, harsh } from './faults.js'
import { LeaseChecker } from './lease-checker.js'
import { monitored, ProcessorUnit, type SimulatedDelegate } from './processor-unit.js'
import type { Computer } from './simulated-process.js'
import { lsnOf } from './stored-lease.js'
import { Workload } from './workload.js'
import { World } from './world.js'

/** How a run ended. */
export interface Report {
  readonly seed: number
  /** Of everything that happened, in order. */
  readonly hash: string
  readonly eventCount: number
  /** Empty when everything held. */
  readonly problems: readonly string[]
  /** From the end of the faults to the last thing that had to come right. */
  readonly recoveredInMs: number
  readonly faults: ReadonlyMap<string, number>
}

const faultyMs = 8 * 60_000
const [expirationMs, acquireMs, renewMs] = [60_000, 17_000, 13_000]

/** What may still be under way: a slow request, a slow delegate, its back-off, a stop, a rest between polls, a retry. */
const slackMs = 120_000 + 30_000 + 30_000 + 30_000 + 5_000 + 5_000

/**
 * How long after the last fault everything must be right: a dead owner's leases expire and are taken, what was taken
 * unevenly moves one lease per cycle and instance, and what is read then has to be delivered.
 */
function boundMs(leaseCount: number): number {
  return expirationMs + 1_000 + renewMs + acquireMs * (2 + leaseCount) + slackMs
}

/**
 * One run of the processor by one seed, in two phases: safety, in which everything fails that can, and liveness, in which
 * nothing does and everything must come right within a bound.
 */
export async function simulateProcessor(seed: number): Promise<Report> {
  const random = seededRandom(seed)
  const faults = new Faults({ random, rates: harsh })
  const world = new World({
    seed: Math.floor(random.next() * 2 ** 32),
    partitionCount: 1 + Math.floor(random.next() * 4),
    fateOf: (request) => faults.fateOf(request),
  })
  const unit = new ProcessorUnit(world, {
    delegate: delegateOf(random, faults),
    settings: { maxItemCount: 5 },
  })
  const deliveries = new DeliveryChecker(() => world.container(monitored))
  const ownership = new LeaseChecker({ now: () => world.time.now(), leaseExpirationIntervalMs: expirationMs })
  world.watch(deliveries)
  world.watch(ownership)
  const computers = computersOf(random)
  const workload = new Workload({ world, keyCount: 20, intervalMs: 2_000 })
  const chaos = new Chaos({ world, unit, computers, intervalMs: 12_000, mostPartitions: 8 })
  for (const computer of computers) unit.start(computer)
  workload.start()
  chaos.start()
  await world.runUntil(() => false, faultyMs)
  workload.stop()
  chaos.stop()
  faults.stop()
  const endedAtMs = world.time.monotonic()
  const isRight = (): boolean => deliveries.openCount === 0 && isSettled(world, unit, ownership)
  const limitMs = boundMs(world.container(monitored).partitions.length)
  const isRecovered = await world.runUntil(isRight, limitMs)
  if (world.problems.length === 0 && !isRecovered) {
    world.problems.push(
      `I8: not right ${limitMs} ms after the last fault: ${stateOf(unit, ownership, deliveries)}`,
    )
  }
  return {
    seed,
    hash: world.digest(),
    eventCount: world.eventCount,
    problems: world.problems,
    recoveredInMs: world.time.monotonic() - endedAtMs,
    faults: faults.counts,
  }
}

/** Two to six computers, some of them with clocks wrong by a minute and a half and fast or slow by a thousandth. */
function computersOf(random: Random): readonly Computer[] {
  const count = 2 + Math.floor(random.next() * 5)
  return Array.from({ length: count }, (_, index) => ({
    name: `host-${index}`,
    skewMs: Math.round((random.next() - 0.5) * 180_000),
    driftPpm: Math.round((random.next() - 0.5) * 2_000),
  }))
}

/** Takes its time, and fails one time in ten while faults last. */
function delegateOf(random: Random, faults: Faults): SimulatedDelegate {
  return async (_changes, context, process) => {
    const isSlow = random.next() < 0.02
    await process.clock.sleep(random.next() * (isSlow ? 30_000 : 300), context.signal)
    if (context.signal.aborted) throw new Error('told to stop')
    if (!faults.isOver && random.next() < 0.1) throw new Error('the delegate failed')
  }
}

/** Every lease is held by somebody who lives, evenly, and has been read to its end. */
function isSettled(world: World, unit: ProcessorUnit, { leases }: LeaseChecker): boolean {
  const counts = new Map(unit.processes.map(({ computer }) => [computer.name, 0]))
  for (const { owner } of leases) {
    const count = owner === null ? undefined : counts.get(owner)
    if (owner === null || count === undefined) return false
    counts.set(owner, count + 1)
  }
  if (Math.max(...counts.values()) - Math.min(...counts.values()) > 1) return false
  const container = world.container(monitored)
  return leases.every(({ feedRange, continuationToken }) => {
    const [partition, ...others] = container.partitionsIn(feedRange)
    if (partition === undefined || others.length > 0) return false
    return continuationToken !== null && lsnOf(continuationToken) >= partition.lsn
  })
}

function stateOf(unit: ProcessorUnit, { leases }: LeaseChecker, deliveries: DeliveryChecker): string {
  const owners = leases.map(({ leaseToken, owner, continuationToken }) => [
    leaseToken,
    owner,
    continuationToken,
  ])
  const alive = unit.processes.map(({ id, isRunning }) => `${id}${isRunning ? '' : ' (paused)'}`)
  return `${deliveries.openCount} changes not accepted, leases ${JSON.stringify(owners)}, alive ${alive.join(', ')}`
}

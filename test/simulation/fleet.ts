import { LeaseChecker } from './lease-checker.js'
import { ProcessorUnit } from './processor-unit.js'
import type { Computer } from '../../src/testing/simulated-process.js'
import type { Fate, Request } from '../../src/testing/network.js'
import { answeredAtOnce, World } from '../../src/testing/world.js'

/** A deployment unit without random faults. */
export interface Fleet {
  readonly world: World
  readonly unit: ProcessorUnit
  readonly computers: readonly Computer[]
  readonly ownership: LeaseChecker
  /**
   * Returns the number of leases of each living instance, the smallest first. Ignores leases without a living
   * owner.
   */
  readonly counts: () => readonly number[]
  /** Checks whether every lease has a living owner and no instance has two more than any other. */
  readonly isBalanced: () => boolean
}

export interface FleetOptions {
  readonly seed: number
  readonly hostCount: number
  readonly leaseCount: number
  /** The largest error of each host's clock, in either direction. Default 0. */
  readonly skewMs?: number
  /** Called with each request to the store. */
  readonly onRequest?: (request: Request) => void
}

export const defaultIntervals = { expirationMs: 60_000, acquireMs: 17_000, renewMs: 13_000 } as const

export function fleetOf({ seed, hostCount, leaseCount, skewMs = 0, onRequest }: FleetOptions): Fleet {
  const fateOf = (request: Request): Fate => {
    onRequest?.(request)
    return answeredAtOnce
  }
  const world = new World({ seed, isHashed: false, fateOf })
  const unit = new ProcessorUnit(world, { partitionCount: leaseCount })
  const ownership = new LeaseChecker({
    now: () => world.time.now(),
    leaseExpirationIntervalMs: defaultIntervals.expirationMs,
  })
  world.watch(ownership)
  const computers = Array.from({ length: hostCount }, (_, index) => ({
    name: `host-${index}`,
    skewMs: Math.round((world.random.next() * 2 - 1) * skewMs),
    driftPpm: 0,
  }))
  const counts = (): readonly number[] => {
    const owned = new Map(unit.processes.map(({ computer }) => [computer.name, 0]))
    for (const { owner } of ownership.leases) {
      const count = owner === null ? undefined : owned.get(owner)
      if (owner !== null && count !== undefined) owned.set(owner, count + 1)
    }
    return [...owned.values()].sort((one, other) => one - other)
  }
  const isBalanced = (): boolean => {
    const owned = counts()
    const isComplete = owned.reduce((sum, count) => sum + count, 0) === leaseCount
    return isComplete && (owned.at(-1) ?? 0) - (owned[0] ?? 0) <= 1
  }
  return { world, unit, computers, ownership, counts, isBalanced }
}

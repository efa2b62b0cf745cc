import { defaultIntervals, fleetOf } from '../../simulation/fleet.js'
import type { Figure } from '../figure.js'

/** The size of a simulated deployment unit. */
export interface FleetSize {
  readonly hosts: number
  readonly leases: number
}

/** The target of R155: a deployment unit is balanced after this number of acquire intervals. */
const intervalsAtMost = 3

/** The time for which requests are counted when the leases are balanced. */
const restMs = 2 * 60_000

const leaseMethods = [
  'list',
  'read',
  'create',
  'replace',
  'delete',
  'doneAtMs',
  'tryLock',
  'unlock',
  'markDone',
]

/**
 * Simulates a deployment unit from its first start: all hosts start together, then a tenth of the hosts are
 * killed. Returns the acquire intervals until the leases are balanced, and the requests to the lease container.
 */
export async function measuredLeases({ hosts, leases }: FleetSize): Promise<readonly Figure[]> {
  let requests = 0
  const { world, unit, computers, ownership, isBalanced } = fleetOf({
    seed: 1,
    hostCount: hosts,
    leaseCount: leases,
    onRequest: ({ method }) => {
      if (leaseMethods.includes(method)) requests += 1
    },
  })
  // Only a change of owner can change the answer, so most timers need no count.
  const balanced = () => {
    let [seenMoves, isOver] = [-1, false]
    return (): boolean => {
      if (ownership.moves.length !== seenMoves) isOver = isBalanced()
      seenMoves = ownership.moves.length
      return isOver
    }
  }
  const phase = async (limitMs: number, isReached: () => boolean) => {
    const [startMs, before] = [world.time.monotonic(), requests]
    const isOver = await world.runUntil(isReached, limitMs)
    const tookMs = world.time.monotonic() - startMs
    const perSecond = ((requests - before) * 1_000) / Math.max(tookMs, 1_000)
    return { intervals: isOver ? tookMs / defaultIntervals.acquireMs : Number.NaN, perSecond }
  }
  const rest = () => phase(restMs, () => false)
  const size = `${leases} leases, ${hosts} hosts`

  for (const computer of computers) unit.start(computer)
  const start = await phase(60 * defaultIntervals.acquireMs, balanced())
  const atRest = await rest()
  const killed = computers.slice(0, Math.ceil(hosts / 10))
  for (const computer of killed) unit.processOn(computer)?.crash()
  const afterKill = await phase(60 * defaultIntervals.acquireMs, balanced())
  const expiryIntervals = defaultIntervals.expirationMs / defaultIntervals.acquireMs
  if (world.problems.length > 0) throw new Error(world.problems.join('\n'))
  return [
    {
      name: `${size}: acquire intervals until balanced, started together`,
      value: start.intervals,
      unit: 'intervals',
      target: { atMost: intervalsAtMost },
    },
    { name: `${size}: lease requests meanwhile`, value: start.perSecond, unit: 'requests/s' },
    { name: `${size}: lease requests at rest`, value: atRest.perSecond, unit: 'requests/s' },
    {
      name: `${size}: acquire intervals after ${killed.length} kills, without the expiration`,
      value: afterKill.intervals - expiryIntervals,
      unit: 'intervals',
      target: { atMost: intervalsAtMost },
    },
  ]
}

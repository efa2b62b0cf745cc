import type { Random } from '../../src/platform/index.js'

/** The .NET SDK's rule for one cycle: which leases an instance takes, by their index. `owners`: null for free. */
export function dotnetTakes(owners: readonly (string | null)[], self: string): readonly number[] {
  const counts = countsOf(owners, self)
  const target = owners.length > counts.size ? Math.ceil(owners.length / counts.size) : 1
  const needed = target - (counts.get(self) ?? 0)
  if (owners.length === 0 || needed <= 0) return []
  const free = indexesOf(owners, null)
  if (free.length > 0) return free.slice(0, needed)
  const [victim, most] = [...counts].reduce((fullest, other) => (other[1] >= fullest[1] ? other : fullest))
  return most > target - (needed > 1 ? 1 : 0) ? indexesOf(owners, victim).slice(0, 1) : []
}

/** How a fleet came to rest. */
export interface Convergence {
  /** Acquire intervals until nobody has two leases more than anybody else. */
  readonly cycles: number
  /** Changes of owner until then. */
  readonly moves: number
}

/**
 * .NET's rule on a fleet of which the first host owns everything. Hosts act one after another, each on what the ones before
 * it have left: kinder to the rule than hosts that act at once and conflict.
 */
export function dotnetConvergence(hostCount: number, leaseCount: number, random: Random): Convergence {
  const hosts = Array.from({ length: hostCount }, (_, index) => `host-${index}`)
  const owners: string[] = Array.from({ length: leaseCount }, () => 'host-0')
  let [cycles, moves] = [0, 0]
  while (!isEven(hosts, owners) && cycles < leaseCount) {
    cycles += 1
    const inOrder = hosts
      .map((host) => ({ host, order: random.next() }))
      .sort((one, other) => one.order - other.order)
    for (const { host } of inOrder) {
      for (const index of dotnetTakes(owners, host)) {
        owners[index] = host
        moves += 1
      }
    }
  }
  return { cycles, moves }
}

function isEven(hosts: readonly string[], owners: readonly string[]): boolean {
  const counts = hosts.map((host) => indexesOf(owners, host).length)
  return Math.max(...counts) - Math.min(...counts) <= 1
}

/** Of every owner, and of `self` even if it owns nothing. */
function countsOf(owners: readonly (string | null)[], self: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const owner of owners) if (owner !== null) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  if (!counts.has(self)) counts.set(self, 0)
  return counts
}

function indexesOf(owners: readonly (string | null)[], wanted: string | null): number[] {
  return owners.flatMap((owner, index) => (owner === wanted ? [index] : []))
}

import type { Random } from '../../src/platform/index.js'

/**
 * Applies the .NET SDK's rule for one cycle. Returns the indexes of the leases that an instance takes.
 *
 * @param owners the owner of each lease, or null for a free one
 */
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

/** How a fleet reached balance. */
export interface Convergence {
  /** Acquire intervals until no instance has two leases more than any other. */
  readonly cycles: number
  /** Changes of owner until then. */
  readonly moves: number
}

/**
 * Applies .NET's rule to a fleet whose first host owns everything. Hosts act one after another, each on the
 * result of the previous ones. This favours the rule over hosts that act at the same time and conflict.
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

/** Counts the leases of every owner, and of `self` even if it owns none. */
function countsOf(owners: readonly (string | null)[], self: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const owner of owners) if (owner !== null) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  if (!counts.has(self)) counts.set(self, 0)
  return counts
}

function indexesOf(owners: readonly (string | null)[], wanted: string | null): number[] {
  return owners.flatMap((owner, index) => (owner === wanted ? [index] : []))
}

import type { Lease, LeaseListing } from '../../lease-store/index.js'
import type { Clock } from '../platform/index.js'
import type { Processes } from '../platform/internal.js'
import type { Reader } from '../sas/internal.js'
import { isOnLoopback, wakeAddressOf, type WakeAddress } from './wake-address.js'

/** A listing is kept for a minute, because leases change rarely, and a hint to a former owner costs only a delay. */
const keptMs = 60_000

/** The pause before another listing if the last one has no address for a range, or is known to be wrong. */
const againMs = 5_000

/** Lists the leases of a role. */
export type ListLeases = (role: Reader) => Promise<LeaseListing>

interface Listed {
  /** The address for each lease, or null if its owner has none that can be reached from here. */
  readonly byToken: ReadonlyMap<string, WakeAddress | null>
  /** All these addresses, once each. */
  readonly all: readonly WakeAddress[]
  readonly atMs: number
}

/**
 * Knows which process reads a feed range in which role, as the leases say. For hints, the leases are listed at most once in
 * five seconds. An error of the store means that no address is known.
 */
export class WakeDirectory {
  private readonly listed = new Map<Reader, Listed>()
  private readonly listing = new Map<Reader, Promise<void>>()

  constructor(
    private readonly list: ListLeases,
    private readonly clock: Clock,
    private readonly processes: Pick<Processes, 'own' | 'isNeighbour'>,
  ) {}

  /**
   * Returns the addresses of the processes that read a physical partition, or any partition if it is null.
   * Processes that take no hints, or that cannot be reached from here, have no address.
   */
  async addressesOf(role: Reader, physicalRangeId: string | null): Promise<readonly WakeAddress[]> {
    const known = this.known(role, physicalRangeId)
    if (known !== null) return known
    await this.refreshed(role)
    return this.known(role, physicalRangeId) ?? this.addresses(role, physicalRangeId)
  }

  /** Returns the addresses without a request, or null if the leases must be listed first. */
  known(role: Reader, physicalRangeId: string | null): readonly WakeAddress[] | null {
    const listed = this.listed.get(role)
    if (listed === undefined) return null
    const addresses = this.addresses(role, physicalRangeId)
    const ageMs = this.clock.monotonic() - listed.atMs
    return ageMs < (addresses.length === 0 ? againMs : keptMs) ? addresses : null
  }

  /**
   * Returns the addresses of all processes of a role, without a request. Null if the leases are not known, or
   * if the owner of one of them has no address.
   */
  complete(role: Reader): readonly WakeAddress[] | null {
    const known = this.known(role, null)
    const owners = [...(this.listed.get(role)?.byToken.values() ?? [])]
    return owners.length === 0 || owners.includes(null) ? null : known
  }

  /** Forgets an address that did not answer. The listings that contain it are read again soon. */
  distrust({ origin }: WakeAddress): void {
    const soonMs = this.clock.monotonic() - keptMs + againMs
    for (const [role, { byToken, all, atMs }] of this.listed) {
      if (!all.some((address) => address.origin === origin)) continue
      const others = [...byToken].map(([token, address]) => {
        return [token, address?.origin === origin ? null : address] as const
      })
      this.listed.set(role, listedOf(others, Math.min(atMs, soonMs)))
    }
  }

  /**
   * Notes that a process no longer has the lease of a physical partition. Returns false if the last listing does not
   * name this process as the owner. The leases are listed again for the next hint, but not sooner than `listableInMs`.
   */
  hasMoved(role: Reader, physicalRangeId: string, { origin }: WakeAddress): boolean {
    const listed = this.listed.get(role)
    if (listed?.byToken.get(physicalRangeId)?.origin !== origin) return false
    const others = [...listed.byToken].map(([token, address]) => {
      return [token, token === physicalRangeId ? null : address] as const
    })
    this.listed.set(role, listedOf(others, listed.atMs))
    return true
  }

  /** Returns the time until the leases of a role may be listed again. */
  listableInMs(role: Reader): number {
    const atMs = this.listed.get(role)?.atMs ?? -Infinity
    return Math.max(0, atMs + againMs - this.clock.monotonic())
  }

  private addresses(role: Reader, physicalRangeId: string | null): readonly WakeAddress[] {
    const listed = this.listed.get(role)
    // A lease of a part of a physical partition has another name, so all owners get the hint.
    const address = physicalRangeId === null ? undefined : listed?.byToken.get(physicalRangeId)
    if (address === undefined) return listed?.all ?? []
    return address === null ? [] : [address]
  }

  /** A loopback address has a meaning only on the machine of the owner. */
  private reachable({ wakeAddress, process }: Lease): WakeAddress | null {
    const address = wakeAddress === null ? null : wakeAddressOf(wakeAddress)
    if (address === null || !isOnLoopback(address)) return address
    const isHere = process !== null && (process === this.processes.own || this.processes.isNeighbour(process))
    return isHere ? address : null
  }

  /** Lists the leases of the role. */
  refreshed(role: Reader): Promise<void> {
    const running = this.listing.get(role)
    if (running !== undefined) return running
    const listing = this.list(role)
      .then(
        ({ leases }) => ({ leases, laterMs: 0 }),
        // The process may not be allowed to read leases, so the next attempt is late.
        () => ({ leases: [], laterMs: keptMs - againMs }),
      )
      .then(({ leases, laterMs }) => {
        const byToken = leases.map((lease) => [lease.leaseToken, this.reachable(lease)] as const)
        this.listed.set(role, listedOf(byToken, this.clock.monotonic() + laterMs))
        this.listing.delete(role)
      })
    this.listing.set(role, listing)
    return listing
  }
}

function listedOf(byToken: readonly (readonly [string, WakeAddress | null])[], atMs: number): Listed {
  const found = byToken.flatMap(([, address]) => address ?? [])
  const all = [...new Map(found.map((address) => [address.origin, address])).values()]
  return { byToken: new Map(byToken), all, atMs }
}

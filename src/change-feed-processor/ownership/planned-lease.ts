import type { NewLease } from '../../../lease-store/index.js'
import type { PlannedLease } from '../../../lease-store/internal.js'
import { leaseModeOf } from '../options/options.js'
import type { Runtime } from '../runtime/runtime.js'
import { firstPositionOf } from '../feed/start-position.js'

/**
 * Returns the lease to create, with its first position, or null if its range has been split.
 *
 * A lease may be missing although all leases existed at `doneAtMs`. Such a lease may have reached any later
 * position, so the new lease begins at `doneAtMs`. Changes are then delivered again, but none is left out. A
 * feed of all versions cannot begin at a time, so it begins now.
 */
export async function positioned(
  { leaseToken, feedRange }: PlannedLease,
  doneAtMs: number | null,
  { readPage, options }: Runtime,
): Promise<NewLease | null> {
  const isTimed = doneAtMs !== null && options.mode === 'latestVersion'
  const lease: NewLease = {
    leaseToken,
    feedRange,
    continuationToken: null,
    firstPosition: firstPositionOf(options.startFrom) ?? (isTimed ? { kind: 'time', atMs: doneAtMs } : null),
    mode: leaseModeOf(options.mode),
  }
  if (lease.firstPosition !== null) return lease
  const { signal } = new AbortController()
  const page = await readPage({ feedRange, start: { kind: 'now' } }, { maxItemCount: 1, signal })
  const [next, ...others] = page.next
  if (next?.start.kind !== 'continuation' || others.length > 0) return null
  return { ...lease, continuationToken: next.start.token }
}

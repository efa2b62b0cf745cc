import {
  acquire,
  expired,
  isOwnedBy,
  release,
  reposition,
  type Lease,
  type LeaseStore,
} from '../../lease-store/index.js'
import { systemClock, type Clock, type Duration, type Random } from '../platform/index.js'
import { systemRandom } from '../platform/internal.js'
import { checkedOptions } from '../platform/options.js'
import type { ChangeFeed } from './feed/change-feed.js'
import { openPorts, type LeaseContainer, type MonitoredContainer } from './feed/cosmos-ports.js'
import type { StartPosition } from './feed/delegate.js'
import { ProcessorOptionsError } from './feed/errors.js'
import { portShape, startPosition } from './options/port-options.js'
import { leaseExpiration } from './options/timing.js'
import { leaseModeOf } from './options/options.js'
import { firstPositionOf } from './feed/start-position.js'

/** The deployment unit to reset, and its new position. */
export interface ResetOptions {
  readonly monitoredContainer: MonitoredContainer
  readonly leaseContainer: LeaseContainer
  readonly processorName: string
  /** A unit in mode `allVersionsAndDeletes` can be reset only to `'now'`. */
  readonly to: StartPosition
  /** The expiration interval of the unit, after which an unrenewed lease counts as free. Default 60 s. */
  readonly leaseExpirationInterval?: Duration
}

const shape = { ...portShape, to: startPosition, leaseExpirationInterval: leaseExpiration }

/** The deployment unit was not reset, because leases are held. Stop the instances, and try again. */
export class ProcessorRunningError extends Error {
  override readonly name = 'ProcessorRunningError'
  readonly code = 'PROCESSOR_RUNNING'
  readonly retriable = true

  constructor(
    readonly processorName: string,
    /** The tokens of the held leases, each with the instance name of its owner. */
    readonly held: Readonly<Record<string, string | null>>,
  ) {
    const owners = Object.entries(held).map(([token, owner]) => `${token} by ${owner ?? 'another instance'}`)
    super(
      `processor ${JSON.stringify(processorName)} was not reset, because leases are held: ` +
        `${owners.join(', ')}. ` +
        'Stop all its instances, or wait until the leases of one that crashed have expired, and try again',
    )
  }
}

interface Reset {
  readonly feed: ChangeFeed
  readonly leaseStore: LeaseStore
  readonly clock: Clock
}

/**
 * Moves every lease of a stopped deployment unit to one position. Instances that start afterwards deliver
 * from this position. Changes may be delivered again. With `'now'`, undelivered changes are skipped.
 *
 * The reset first acquires all leases, each only if its etag is still the listed one (I12). If an instance
 * starts meanwhile, the reset rejects before any position has changed. After a crash in between, the acquired
 * leases expire in the same way as leases of an instance. Another call then moves all leases.
 *
 * Rejects with {@link ProcessorRunningError} while a lease is held, and with {@link ProcessorOptionsError} if
 * an option is invalid.
 */
export async function resetProcessor(
  given: ResetOptions,
  { clock = systemClock, random = systemRandom }: { readonly clock?: Clock; readonly random?: Random } = {},
): Promise<void> {
  const options = checkedOptions(shape, given, (problems) => new ProcessorOptionsError(problems))
  const { processorName, to, leaseExpirationInterval: expirationMs } = options
  const ports = await openPorts({ ...options, onCharge: () => undefined })
  const { leases, storeTimeMs } = await ports.leaseStore.list()
  if (to !== 'now') assertHasPast(leases, to)
  // Without the store's time, no lease is known to have expired.
  const dead = storeTimeMs === null ? null : expired(leases, storeTimeMs, expirationMs)
  const held = leases.filter((lease) => lease.owner !== null && dead?.has(lease.leaseToken) !== true)
  if (held.length > 0) throw new ProcessorRunningError(processorName, ownersOf(held))
  const reset: Reset = { ...ports, clock }
  const acquired = await acquireAll(reset, leases, { processorName, incarnation: random.id() })
  for (const lease of acquired) await move(reset, lease, { processorName, to })
}

async function acquireAll(
  reset: Reset,
  leases: readonly Lease[],
  { processorName, incarnation }: { readonly processorName: string; readonly incarnation: string },
): Promise<readonly Lease[]> {
  const { leaseStore, clock } = reset
  const owner = { instanceName: `reset-${incarnation}`, incarnation }
  const acquired: Lease[] = []
  for (const lease of leases) {
    const outcome = await leaseStore.replace(acquire(lease, owner, clock.now()))
    if (outcome.kind === 'written') {
      acquired.push(outcome.lease)
      continue
    }
    const stored = await leaseStore.read(lease.leaseToken)
    if (stored !== null && isOwnedBy(stored, owner)) {
      // The answer was lost, but the write was applied.
      acquired.push(stored)
      continue
    }
    for (const mine of acquired) await leaseStore.replace(release(mine, clock.now()))
    throw new ProcessorRunningError(processorName, { [lease.leaseToken]: stored?.owner ?? null })
  }
  return acquired
}

async function move(
  { feed, leaseStore, clock }: Reset,
  lease: Lease,
  { processorName, to }: { readonly processorName: string; readonly to: StartPosition },
): Promise<void> {
  const position = firstPositionOf(to)
  const moved = reposition(
    lease,
    position === null
      ? await positionNow(feed, lease, clock)
      : { continuationToken: null, firstPosition: position },
  )
  const outcome = await leaseStore.replace(release(moved, clock.now()))
  if (outcome.kind === 'written') return
  const stored = await leaseStore.read(lease.leaseToken)
  throw new ProcessorRunningError(processorName, { [lease.leaseToken]: stored?.owner ?? null })
}

type Position = Parameters<typeof reposition>[1]

/** Returns the end of the feed. A split range has several ends, so the current time is used instead. */
async function positionNow(feed: ChangeFeed, { feedRange, mode }: Lease, clock: Clock): Promise<Position> {
  const { signal } = new AbortController()
  const from = { feedRange, start: { kind: 'now' } } as const
  const isLatest = mode === leaseModeOf('latestVersion')
  const read = { maxItemCount: 1, signal }
  const { next } = await (isLatest ? feed.readNext(from, read) : feed.readAllVersions(from, read))
  const [only, ...others] = next
  if (only?.start.kind === 'continuation' && others.length === 0)
    return { continuationToken: only.start.token, firstPosition: null }
  if (isLatest) return { continuationToken: null, firstPosition: { kind: 'time', atMs: clock.now() } }
  throw new Error(
    `[${feedRange.min}, ${feedRange.max}) was split while its processor was stopped, and the feed of ` +
      'all versions cannot start at a point in time; start the processor once to create the leases of ' +
      'the parts, stop it, and reset again',
  )
}

function assertHasPast(leases: readonly Lease[], to: Exclude<StartPosition, 'now'>): void {
  if (leases.every(({ mode }) => mode === leaseModeOf('latestVersion'))) return
  throw new ProcessorOptionsError([
    `to is ${JSON.stringify(to)}, but this processor follows all versions and deletes, whose feed can ` +
      'only start now; pass "now"',
  ])
}

function ownersOf(leases: readonly Lease[]): Readonly<Record<string, string | null>> {
  return Object.fromEntries(leases.map(({ leaseToken, owner }) => [leaseToken, owner]))
}

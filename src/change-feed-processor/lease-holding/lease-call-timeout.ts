import type { LeaseInitialization, LeaseStore, LeaseWrite } from '../../../lease-store/index.js'
import type { Clock } from '../../platform/index.js'
import { withinLimit } from '../../platform/internal.js'

/** The times to wait for answers from the store. */
export interface LeaseCallTimeouts {
  readonly clock: Clock
  /** The limit for a call that concerns one document, in milliseconds. */
  readonly callMs: number
  /** The limit for the list of all leases, in milliseconds. */
  readonly listMs: number
}

interface LeaseIntervals {
  readonly leaseRenewIntervalMs: number
  readonly leaseExpirationIntervalMs: number
  readonly trustMarginMs: number
}

/** The number of renewals that may hang one after another before the lease is lost. */
const renewalsBeforeLoss = 4

/** Returns the limit for a call that concerns one lease. Several calls can follow before the lease is lost. */
export function leaseCallMs({
  leaseRenewIntervalMs,
  leaseExpirationIntervalMs,
  trustMarginMs,
}: LeaseIntervals): number {
  const leftMs = leaseExpirationIntervalMs - trustMarginMs - leaseRenewIntervalMs
  return Math.min(leaseRenewIntervalMs / 2, leftMs / renewalsBeforeLoss)
}

/**
 * Wraps a lease store so that each call ends in time. Without a limit, a client may silently retry a
 * throttled or hanging request for half a minute, and the caller would not notice that its lease expires
 * (F-L9). If a write gets no answer, its outcome is unknown, because the store may still apply the write. The
 * next conditional write shows the outcome (I12).
 */
export function withTimeouts(store: LeaseStore, { clock, callMs, listMs }: LeaseCallTimeouts): LeaseStore {
  const soon = <T>(what: string, call: Promise<T>): Promise<T> => answered(clock, callMs, call, what)
  return {
    list: () => answered(clock, listMs, store.list(), 'lease.list'),
    read: (leaseToken) => soon('lease.read', store.read(leaseToken)),
    create: (lease) => soon('lease.create', store.create(lease)),
    replace: (lease) => soon('lease.replace', store.replace(lease)).catch(unknownOutcome),
    delete: (lease) => soon('lease.delete', store.delete(lease)),
    initialization: initializationWithTimeouts(store.initialization, soon),
  }
}

function initializationWithTimeouts(
  initialization: LeaseInitialization,
  soon: <T>(what: string, call: Promise<T>) => Promise<T>,
): LeaseInitialization {
  return {
    doneAtMs: () => soon('lease.readMarker', initialization.doneAtMs()),
    tryLock: (ttlSeconds) => soon('lease.lock', initialization.tryLock(ttlSeconds)),
    markDone: () => soon('lease.markDone', initialization.markDone()),
    unlock: () => soon('lease.unlock', initialization.unlock()),
  }
}

class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
  /** The code of a network timeout, so that callers retry the call in the same way. */
  readonly code = 'ETIMEDOUT'
}

function unknownOutcome(cause: unknown): LeaseWrite {
  if (cause instanceof TimeoutError) return { kind: 'unknownOutcome', cause }
  throw cause
}

function answered<T>(clock: Clock, limitMs: number, call: Promise<T>, what: string): Promise<T> {
  const timeout = (): never => {
    throw new TimeoutError(`${what} was not answered within ${limitMs} ms`)
  }
  return withinLimit(clock, limitMs, call, timeout)
}

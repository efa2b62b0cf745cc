import type { LeaseInitialization, LeaseStore, LeaseWrite } from '../../../lease-store/index.js'
import type { Clock, Timer } from '../../platform/index.js'

/** How long to wait for answers. */
export interface LeaseCallTimeouts {
  readonly clock: Clock
  /** For one document. */
  readonly callMs: number
  /** For all leases at once. */
  readonly listMs: number
}

/**
 * A lease store that answers in time: a client that silently repeats a throttled or hanging request for half a minute
 * would keep the caller from noticing that its lease runs out (F-L9). A write that was not answered has an unknown
 * outcome: it may still be applied, which the next conditional write finds out (I12).
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
  /** What a network that gives up says, so that it is tried again as after that. */
  readonly code = 'ETIMEDOUT'
}

function unknownOutcome(cause: unknown): LeaseWrite {
  if (cause instanceof TimeoutError) return { kind: 'unknownOutcome', cause }
  throw cause
}

async function answered<T>(clock: Clock, ms: number, call: Promise<T>, what: string): Promise<T> {
  let timer: Timer | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = clock.schedule(ms, () => reject(new TimeoutError(`${what} was not answered within ${ms} ms`)))
  })
  try {
    return await Promise.race([call, timeout])
  } finally {
    timer?.cancel()
  }
}

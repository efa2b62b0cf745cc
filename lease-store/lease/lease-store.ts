import type { Lease, NewLease } from './lease.js'

/** The leases of one deployment unit, and the store's time when they were read. */
export interface LeaseListing {
  readonly leases: readonly Lease[]
  /** The store's time in milliseconds since the epoch, or null if the store's answer contained no time. */
  readonly storeTimeMs: number | null
}

/**
 * The result of a conditional write of a lease. A lost race is not thrown, but unexpected failures are.
 * After `unknownOutcome`, the write may or may not have been applied, so read the lease and decide again.
 */
export type LeaseWrite =
  | { readonly kind: 'written'; readonly lease: Lease }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'notFound' }
  | { readonly kind: 'unknownOutcome'; readonly cause: unknown }

/** The result of creating a lease. */
export type LeaseCreation =
  { readonly kind: 'created'; readonly lease: Lease } | { readonly kind: 'alreadyExists' }

/** The result of deleting a lease. */
export type LeaseDeletion =
  { readonly kind: 'deleted' } | { readonly kind: 'conflict' } | { readonly kind: 'notFound' }

/**
 * Stores the leases of **one** deployment unit. Two implementations pass the same test suite: one for a
 * Cosmos container ({@link import('../cosmos/cosmos-lease-store.js').CosmosLeaseStore}), and one for the
 * embedded engine.
 */
export interface LeaseStore {
  /**
   * Returns all leases of the unit, in no particular order. The result is not a snapshot, because leases may
   * change during the call. If a lease is split during the call, the result may contain neither this lease
   * nor its children. Rejects with {@link import('./refused-lease-error.js').RefusedLeaseError} if this
   * library must not write one of the documents, or if a document exists twice. Rejects with the store's
   * error if the store does not answer.
   */
  list(): Promise<LeaseListing>
  /** Returns the lease as it is stored now, or null if there is none. Rejects in the same cases as `list`. */
  read(leaseToken: string): Promise<Lease | null>
  /**
   * Creates a lease without an owner, unless there is already a lease with its token. If the call rejects
   * with the store's error, the lease may still have been written.
   */
  create(lease: NewLease): Promise<LeaseCreation>
  /** Writes `lease` only if the stored document still has `lease.etag`. */
  replace(lease: Lease): Promise<LeaseWrite>
  /** Deletes `lease` only if the stored document still has `lease.etag`. Rejects if the store fails. */
  delete(lease: Lease): Promise<LeaseDeletion>
  /** The bootstrap marker (`.info`) and lock (`.lock`) of the unit. */
  readonly initialization: LeaseInitialization
}

/** Lets only one instance at a time create the leases, and records when all leases exist. */
export interface LeaseInitialization {
  /**
   * Returns the store's time (milliseconds) when the leases were marked as complete, or null if they were
   * not.
   */
  doneAtMs(): Promise<number | null>
  /**
   * Tries to take the lock. Returns whether the caller now holds the lock. The store removes the lock after
   * `ttlSeconds`.
   */
  tryLock(ttlSeconds: number): Promise<boolean>
  markDone(): Promise<void>
  /** Releases the lock if this caller still holds it. */
  unlock(): Promise<void>
}

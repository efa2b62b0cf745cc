import type { Lease, NewLease } from './lease.js'

/** The leases of one deployment unit, and the store's time when they were read. */
export interface LeaseListing {
  readonly leases: readonly Lease[]
  /** The store's time, milliseconds since the epoch, or null when the store has not stated it. */
  readonly storeTimeMs: number | null
}

/**
 * The result of a conditional write of a lease. A lost race is a value; only unexpected failures are thrown.
 * `unknownOutcome`: the write may or may not have been applied. Read the lease and decide again.
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
 * Stores the leases of **one** deployment unit. Implementations: a Cosmos container
 * ({@link import('../cosmos/cosmos-lease-store.js').CosmosLeaseStore}) and the embedded engine; both pass the
 * same suite.
 */
export interface LeaseStore {
  /**
   * Returns all leases of the unit, in no order. The result is not a snapshot: a lease that is split
   * meanwhile may be missing together with its children. Rejects with
   * {@link import('./refused-lease-error.js').RefusedLeaseError} when a document among them must be left
   * alone or exists twice. Rejects with the store's error when the store does not answer.
   */
  list(): Promise<LeaseListing>
  /** Returns the lease as it is stored now; null when it does not exist. Rejects as {@link list} does. */
  read(leaseToken: string): Promise<Lease | null>
  /**
   * Creates a lease without an owner, unless its token exists. Rejects with the store's error; the lease may
   * still have been written.
   */
  create(lease: NewLease): Promise<LeaseCreation>
  /** Writes `lease` on condition that the stored document still has `lease.etag`. */
  replace(lease: Lease): Promise<LeaseWrite>
  /**
   * Deletes `lease` on condition that the stored document still has `lease.etag`. Rejects with the store's
   * error.
   */
  delete(lease: Lease): Promise<LeaseDeletion>
  /** The bootstrap marker (`.info`) and lock (`.lock`) of the unit. */
  readonly initialization: LeaseInitialization
}

/** Lets one instance create the leases, and shows the others when they are complete. */
export interface LeaseInitialization {
  /**
   * Returns when the leases were complete for the first time, by the store's clock in milliseconds; null if
   * not yet.
   */
  doneAtMs(): Promise<number | null>
  /**
   * Returns whether this caller now holds the lock. The lock expires by the store's TTL after `ttlSeconds`.
   */
  tryLock(ttlSeconds: number): Promise<boolean>
  markDone(): Promise<void>
  /** Releases the lock if this caller still holds it. */
  unlock(): Promise<void>
}

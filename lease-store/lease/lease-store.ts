import type { Lease, NewLease } from './lease.js'

/** The leases of one deployment unit, and what the store's clock said when they were read. */
export interface LeaseListing {
  readonly leases: readonly Lease[]
  /** The store's time, milliseconds since the epoch, or null when no answer has told it yet. */
  readonly storeTimeMs: number | null
}

/**
 * How a conditional write of a lease ended. A lost race is a value; only unexpected failures are thrown.
 * `unknownOutcome`: the write may or may not have been applied. Read, and decide again.
 */
export type LeaseWrite =
  | { readonly kind: 'written'; readonly lease: Lease }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'notFound' }
  | { readonly kind: 'unknownOutcome'; readonly cause: unknown }

/** How the creation of a lease ended. */
export type LeaseCreation =
  { readonly kind: 'created'; readonly lease: Lease } | { readonly kind: 'alreadyExists' }

/** How the deletion of a lease ended. */
export type LeaseDeletion =
  { readonly kind: 'deleted' } | { readonly kind: 'conflict' } | { readonly kind: 'notFound' }

/**
 * Where the leases of **one** deployment unit live. Implementations: a Cosmos container
 * ({@link import('../cosmos/cosmos-lease-store.js').CosmosLeaseStore}) and the embedded engine; both pass the same suite.
 */
export interface LeaseStore {
  /**
   * All leases of the unit, in no order; not a snapshot: one that is split meanwhile may be missing with its children.
   * Rejects with {@link import('./refused-lease-error.js').RefusedLeaseError} when a document among them must be left alone or
   * is there twice, and with the store's error when it does not answer.
   */
  list(): Promise<LeaseListing>
  /** The lease as it is stored now; null when there is none. Rejects as {@link list}. */
  read(leaseToken: string): Promise<Lease | null>
  /** Creates a lease without an owner, unless its token exists. Rejects with the store's error, whatever was written. */
  create(lease: NewLease): Promise<LeaseCreation>
  /** Writes `lease` on condition that the stored document still has `lease.etag`. */
  replace(lease: Lease): Promise<LeaseWrite>
  /** Deletes `lease` on condition that the stored document still has `lease.etag`. Rejects with the store's error. */
  delete(lease: Lease): Promise<LeaseDeletion>
  /** The bootstrap marker (`.info`) and lock (`.lock`) of the unit. */
  readonly initialization: LeaseInitialization
}

/** Makes one instance create the leases, and tells the others when that is done. */
export interface LeaseInitialization {
  /** When the leases were complete for the first time, by the store's clock in milliseconds; null if not yet. */
  doneAtMs(): Promise<number | null>
  /** True when this caller now holds the lock; it expires by the store's TTL after `ttlSeconds`. */
  tryLock(ttlSeconds: number): Promise<boolean>
  markDone(): Promise<void>
  /** Gives the lock back, if it is still this caller's. */
  unlock(): Promise<void>
}

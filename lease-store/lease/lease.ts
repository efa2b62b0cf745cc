/**
 * An interval of effective partition keys, `[min, max)`, as upper-case hexadecimal. The whole key space is
 * `""` to `"FF"`.
 */
export interface FeedRange {
  readonly min: string
  readonly max: string
}

/**
 * The position where a lease begins to read while it has no continuation token. It is stored when the lease
 * is created.
 */
export type FirstPosition =
  | { readonly kind: 'beginning' }
  /** Changes made after this instant, milliseconds since the epoch. The service rounds it to the second. */
  | { readonly kind: 'time'; readonly atMs: number }

/** The feed that a lease follows, in the words of the service and the .NET SDK. */
export type LeaseMode = 'Incremental Feed' | 'Full-Fidelity Feed'

/**
 * The right to read one feed range, as stored. Immutable: `transitions.ts` returns the next version, and the
 * store writes it on condition that `etag` has not changed.
 */
export interface Lease {
  /**
   * Names the lease in its deployment unit: the id of a physical partition (`"0"`), or `min-max` for any
   * other range.
   */
  readonly leaseToken: string
  readonly feedRange: FeedRange
  /** The name of the instance that reads the range, or null when none does. */
  readonly owner: string | null
  /**
   * The life of that instance. It differs for two processes with one name, and for a process before and after
   * a crash. Null for owners that do not state it (.NET hosts).
   */
  readonly incarnation: string | null
  /**
   * The instance that has requested the lease and does not own it yet. The owner hands the lease over when
   * its current page is done. While the lease is free, it is kept for the requester. Hosts that cannot read
   * this field (.NET) ignore it.
   */
  readonly handover: LeaseOwner | null
  /**
   * The position read so far: the quoted etag of the last page checkpointed. Null until the first checkpoint.
   */
  readonly continuationToken: string | null
  /** Used while `continuationToken` is null. Null for leases that another SDK created without one. */
  readonly firstPosition: FirstPosition | null
  readonly mode: LeaseMode
  /**
   * The owner's clock at its last write, milliseconds since the epoch. .NET hosts judge expiry by it. This
   * library only checks whether it has changed, as a sign of life; the doctor compares it with `_ts` to find
   * clocks that differ.
   */
  readonly timestampMs: number | null
  /** The store's clock at the last write (`_ts`), milliseconds since the epoch. Expiry is judged by it. */
  readonly storedAtMs: number
  readonly etag: string
  /** The document as read, so that foreign fields and properties survive a replace. */
  readonly document: Readonly<Record<string, unknown>>
}

/** The owner or requester of a lease: the name of an instance, and its life. */
export interface LeaseOwner {
  readonly instanceName: string
  readonly incarnation: string
}

/** The fields needed to create a lease; everything else starts empty. */
export interface NewLease {
  readonly leaseToken: string
  readonly feedRange: FeedRange
  readonly continuationToken: string | null
  readonly firstPosition: FirstPosition | null
  readonly mode: LeaseMode
  /** Properties of other libraries, taken over from the lease that this one replaces. */
  readonly properties?: Readonly<Record<string, unknown>>
}

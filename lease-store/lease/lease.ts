/**
 * An interval of effective partition keys, `[min, max)`, as upper-case hexadecimal. The whole key space is `""` to
 * `"FF"`.
 */
export interface FeedRange {
  readonly min: string
  readonly max: string
}

/** Where a lease begins to read when it has no continuation token yet. Stored in the lease when it is created. */
export type FirstPosition =
  | { readonly kind: 'beginning' }
  /** Changes made after this instant, milliseconds since the epoch; the service knows it to the second. */
  | { readonly kind: 'time'; readonly atMs: number }

/** Which feed a lease follows, by the words the service and the .NET SDK use. */
export type LeaseMode = 'Incremental Feed' | 'Full-Fidelity Feed'

/**
 * The right to read one feed range, as stored. Immutable: `transitions.ts` makes the next one, the store writes it on
 * condition that `etag` has not changed.
 */
export interface Lease {
  /** Names the lease within its deployment unit: a physical partition's id (`"0"`), or `min-max` for any other range. */
  readonly leaseToken: string
  readonly feedRange: FeedRange
  /** The name of the instance that reads it, or null when none does. */
  readonly owner: string | null
  /**
   * Which life of that instance: two processes of one name, or one before and after a crash, differ here. Null for
   * owners that do not say (.NET hosts).
   */
  readonly incarnation: string | null
  /**
   * Who asked for it and has not got it yet: its owner hands it over when the page under way is done, and while it is
   * free it is kept for them. Hosts that cannot read it (.NET) are not disturbed by it.
   */
  readonly handover: LeaseOwner | null
  /** How far it was read: the quoted etag of the last page checkpointed. Null until the first checkpoint. */
  readonly continuationToken: string | null
  /** Used while `continuationToken` is null. Null for leases that another SDK created without saying. */
  readonly firstPosition: FirstPosition | null
  readonly mode: LeaseMode
  /** The owner's clock at its last write, milliseconds since the epoch: written for .NET hosts, never judged by us. */
  readonly timestampMs: number | null
  /** The store's clock at the last write (`_ts`), milliseconds since the epoch: what expiry is judged by. */
  readonly storedAtMs: number
  readonly etag: string
  /** The document as read, so that fields and properties that are not ours survive a replace. */
  readonly document: Readonly<Record<string, unknown>>
}

/** Who holds a lease: an instance's name, and which of its lives. */
export interface LeaseOwner {
  readonly instanceName: string
  readonly incarnation: string
}

/** What is needed to create a lease; everything else starts empty. */
export interface NewLease {
  readonly leaseToken: string
  readonly feedRange: FeedRange
  readonly continuationToken: string | null
  readonly firstPosition: FirstPosition | null
  readonly mode: LeaseMode
  /** Of others, to be kept: those of the lease whose place it takes. */
  readonly properties?: Readonly<Record<string, unknown>>
}

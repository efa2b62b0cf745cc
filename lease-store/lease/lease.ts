/**
 * An interval of effective partition keys, `[min, max)`, as upper-case hexadecimal. The whole key space is
 * `""` to `"FF"`.
 */
export interface FeedRange {
  readonly min: string
  readonly max: string
}

/**
 * The position from which a lease without a continuation token is read. The position is stored when the lease
 * is created.
 */
export type FirstPosition =
  | { readonly kind: 'beginning' }
  /** Reading begins after this instant (milliseconds since the epoch), rounded to a second by the service. */
  | { readonly kind: 'time'; readonly atMs: number }

/** The kind of feed that a lease follows, named as in the service and the .NET SDK. */
export type LeaseMode = 'Incremental Feed' | 'Full-Fidelity Feed'

/**
 * The right to read one feed range, as stored. This object is immutable. `transitions.ts` returns the next
 * version, which the store writes only if the etag of the stored document is unchanged.
 */
export interface Lease {
  /**
   * The name of the lease in its deployment unit. For the range of a physical partition, the name is the id
   * of the partition (`"0"`). For any other range, the name is `min-max`.
   */
  readonly leaseToken: string
  readonly feedRange: FeedRange
  /** The name of the instance that reads the range, or null if no instance reads it. */
  readonly owner: string | null
  /**
   * The id of one life of the owner, from the start of its process to the end. Two processes never have the
   * same id, even if they have the same name. Null for owners that write no such id (.NET hosts).
   */
  readonly incarnation: string | null
  /**
   * The identity of the owner's process on its machine, or null. Processes of the same machine can tell
   * whether that process has ended.
   */
  readonly process: string | null
  /** The address at which the owner's process takes hints about writes, with their key, or null. */
  readonly wakeAddress: string | null
  /** The version of Stepward in the owner's process, or null if it is unknown. */
  readonly version: string | null
  /** The names of the agents in the owner's process, or null if they are unknown. */
  readonly serves: readonly string[] | null
  /** What the last owner said about its state with its last write, or null. Only the owner's room knows the fields. */
  readonly report: LeaseReport | null
  /**
   * The position before the changes on which the owner still works, if that position is before
   * `continuationToken`. If the owner's process has ended, the next owner begins to read here. Otherwise
   * null.
   */
  readonly unfinishedFrom: string | null
  /**
   * The instance that has requested the lease and does not own it yet. The owner hands over the lease when
   * its current page is done. A free lease is kept for the requester. .NET hosts ignore this field.
   */
  readonly handover: LeaseOwner | null
  /**
   * The last position that an owner stored, in the format of a page's quoted etag. Null until the first
   * checkpoint.
   */
  readonly continuationToken: string | null
  /**
   * The position where reading begins while `continuationToken` is null. Null for leases that another SDK
   * created without a first position.
   */
  readonly firstPosition: FirstPosition | null
  readonly mode: LeaseMode
  /**
   * The time of the owner's last write by the owner's clock, in milliseconds since the epoch. .NET hosts use
   * this time to decide whether a lease has expired. This library only checks whether the time changes,
   * because a change shows that the owner is alive. The doctor compares the time with `_ts` to find wrong
   * clocks.
   */
  readonly timestampMs: number | null
  /**
   * The time of the last write by the store's clock (`_ts`), in milliseconds since the epoch. This library
   * uses this time to decide whether the lease has expired.
   */
  readonly storedAtMs: number
  readonly etag: string
  /**
   * The document as it was read. A replace keeps the document's unknown fields, and the entries of
   * `properties` that other libraries wrote.
   */
  readonly document: Readonly<Record<string, unknown>>
}

/** What an owner says about its state. Each write of the lease replaces it, so it must be small. */
export type LeaseReport = Readonly<Record<string, unknown>>

/**
 * The owner or requester of a lease, identified by the name of an instance and the id of that instance's
 * life.
 */
export interface LeaseOwner {
  readonly instanceName: string
  readonly incarnation: string
  /** The identity of its process on its machine. Absent if it is unknown. */
  readonly process?: string
  /** The address at which its process takes hints about writes. Absent if it takes none. */
  readonly wakeAddress?: string
  /** The version of Stepward in its process. Absent if it is unknown. */
  readonly version?: string
  /** The names of the agents in its process. Absent if they are unknown. */
  readonly serves?: readonly string[]
}

/** The fields needed to create a lease. All other fields start empty. */
export interface NewLease {
  readonly leaseToken: string
  readonly feedRange: FeedRange
  readonly continuationToken: string | null
  readonly firstPosition: FirstPosition | null
  readonly mode: LeaseMode
  /** Properties of other libraries, copied from the lease that the new lease replaces. */
  readonly properties?: Readonly<Record<string, unknown>>
}

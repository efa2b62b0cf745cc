/** Thrown when the leases of a deployment unit include a document that this library must not write. */
export class RefusedLeaseError extends Error {
  override readonly name = 'RefusedLeaseError'
  readonly code = 'LEASE_REFUSED'
  readonly retriable = false

  constructor(
    readonly leaseToken: string,
    message: string,
  ) {
    super(message)
  }
}

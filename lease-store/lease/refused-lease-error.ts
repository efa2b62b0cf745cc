/** A document of the deployment unit that must not be written by us stands among its leases. */
export class RefusedLeaseError extends Error {
  override readonly name = 'RefusedLeaseError'

  constructor(
    readonly leaseToken: string,
    message: string,
  ) {
    super(message)
  }
}

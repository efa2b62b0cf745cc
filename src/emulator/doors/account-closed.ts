/**
 * Thrown instead of an answer after an account is closed. The error has the code that clients get if no
 * server listens. The SDK does not retry this code.
 */
export class AccountClosed extends Error {
  override readonly name = 'RestError'
  readonly code = 'ECONNREFUSED'
  readonly syscall = 'connect'

  constructor() {
    super(
      'The embedded Cosmos DB account is closed. Close it after the last request, or create a new account.',
    )
  }
}

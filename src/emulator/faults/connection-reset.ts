/**
 * Thrown instead of an answer if the connection must be cut. A client without a socket throws it to the
 * caller, as Node's own HTTP client would.
 */
export class ConnectionReset extends Error {
  override readonly name = 'RestError'
  readonly code = 'ECONNRESET'
  readonly syscall = 'read'

  constructor() {
    super('read ECONNRESET')
  }
}

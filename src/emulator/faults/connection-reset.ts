/**
 * Instead of an answer: the connection was cut. A server cuts it; a client without a socket throws this, which looks like
 * what Node's own HTTP client throws then.
 */
export class ConnectionReset extends Error {
  override readonly name = 'RestError'
  readonly code = 'ECONNRESET'
  readonly syscall = 'read'

  constructor() {
    super('read ECONNRESET')
  }
}

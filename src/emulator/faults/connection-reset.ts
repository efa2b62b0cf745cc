/**
 * Thrown in place of an answer when the connection is cut. A server cuts the connection. A client without a
 * socket throws this error, which looks like the one of Node's own HTTP client.
 */
export class ConnectionReset extends Error {
  override readonly name = 'RestError'
  readonly code = 'ECONNRESET'
  readonly syscall = 'read'

  constructor() {
    super('read ECONNRESET')
  }
}

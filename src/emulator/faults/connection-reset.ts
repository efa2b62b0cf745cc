/**
 * Thrown instead of an answer if the connection must be cut. A server then cuts it. A client without a socket
 * throws this error to its caller, because it looks like an error of Node's own HTTP client.
 */
export class ConnectionReset extends Error {
  override readonly name = 'RestError'
  readonly code = 'ECONNRESET'
  readonly syscall = 'read'

  constructor() {
    super('read ECONNRESET')
  }
}

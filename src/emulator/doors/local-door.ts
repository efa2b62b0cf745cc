import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** A connection of another process, and the parameters that it sent. */
export interface LocalConnection {
  readonly socket: Duplex
  readonly parameters: URLSearchParams
}

/** Serves connections of a protocol that is not HTTP. */
export interface LocalProtocol {
  /** The name with the version, such as `door/1`. */
  readonly name: string
  serve(connection: LocalConnection): void
}

/**
 * Connections of other processes, on the socket that locks the data directory, that change from HTTP to another
 * protocol (`Upgrade`). Both sides must name the same version of the protocol.
 */
export class LocalDoor {
  private protocol: LocalProtocol | null = null

  /** Serves this protocol from now on. Does nothing if the protocol is served already. */
  open(protocol: LocalProtocol): void {
    this.protocol ??= protocol
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { protocol } = this
    if (protocol === null || request.headers.upgrade !== protocol.name) {
      const answer = protocol === null ? 'this process does not serve it' : `it must be ${protocol.name}`
      const body = `The protocol ${request.headers.upgrade} is not accepted: ${answer}.`
      socket.end(
        `HTTP/1.1 426 Upgrade Required\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      )
      return
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${protocol.name}\r\n\r\n`,
    )
    if (head.length > 0) socket.unshift(head)
    protocol.serve({ socket, parameters: new URL(request.url ?? '/', 'http://local').searchParams })
  }
}

import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** The time in which a client must send the rest of its request after the server has begun to close. */
const bodyMs = 1_000

/**
 * The connections of a server. When the server closes, only requests under way may delay it. Node itself also
 * waits for connections without a request, such as those that browsers open in advance.
 */
export class OpenConnections {
  private readonly sockets = new Set<Socket>()
  private readonly requests = new Set<IncomingMessage>()
  private isEnding = false

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket)
      socket.once('close', () => this.sockets.delete(socket))
    })
    server.on('request', (request, response) => {
      this.requests.add(request)
      response.once('close', () => {
        this.requests.delete(request)
        this.endIdle()
      })
    })
  }

  /** Ends all connections as soon as no request is under way. */
  end(): void {
    this.isEnding = true
    this.endIdle()
    setTimeout(() => {
      for (const request of this.requests) if (!request.complete) request.destroy()
    }, bodyMs).unref()
  }

  private endIdle(): void {
    if (!this.isEnding || this.requests.size > 0) return
    for (const socket of this.sockets) socket.destroy()
  }
}

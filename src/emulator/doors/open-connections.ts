import { EventEmitter, once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The connections of a server. When the server closes, only requests that arrived completely may delay it.
 * Node itself also waits for connections without a request, such as those that browsers open in advance.
 */
export class OpenConnections {
  private readonly sockets = new Set<Socket>()
  private readonly requests = new Set<IncomingMessage>()
  private readonly none = new EventEmitter()
  private isEnding = false

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      // A process that waits for the store connects again at once. Its connection must not delay the close.
      if (this.isEnding) socket.destroy()
      this.sockets.add(socket)
      socket.once('close', () => {
        this.sockets.delete(socket)
        if (this.sockets.size === 0) this.none.emit('none')
      })
    })
    server.on('request', (request, response) => {
      this.requests.add(request)
      response.once('close', () => {
        this.requests.delete(request)
        this.endIdle()
      })
    })
  }

  /** Whether connections end after their answer. */
  get areEnding(): boolean {
    return this.isEnding
  }

  /** Resolves as soon as there is no connection. */
  async whenNone(): Promise<void> {
    if (this.sockets.size > 0) await once(this.none, 'none')
  }

  /** Ends all connections as soon as every complete request is answered. */
  end(): void {
    this.isEnding = true
    this.endIdle()
  }

  private endIdle(): void {
    if (!this.isEnding || [...this.requests].some(({ complete }) => complete)) return
    for (const socket of this.sockets) socket.destroy()
  }
}

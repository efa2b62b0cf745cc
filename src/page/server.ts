import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigurationInvalid } from '../connection/index.js'
import type { Random } from '../platform/index.js'
import { PageAnswers, type ShownStore } from './answers.js'
import { LoopbackDoor } from './door/loopback-door.js'
import type { LinkAnswers } from './link-answers.js'
import type { Viewers } from './live/viewers.js'

export interface ServerOptions {
  readonly store: ShownStore
  readonly viewers: Viewers
  readonly links: LinkAnswers | null
  readonly random: Random
  /** The name of the person at this machine. */
  readonly by: string
  /** Called with an address for another browser after a browser signed in. */
  readonly onOpened: (address: string) => void
}

/** The port of a page whose settings name none. */
const usualPort = 8_090

/** Serves the page on the loopback interface. */
export class PageServer {
  private readonly server: Server
  private readonly door: LoopbackDoor

  constructor(private readonly options: ServerOptions) {
    const { store, viewers, links, random, by, onOpened } = options
    this.door = new LoopbackDoor({ random, by, onOpened, port: () => this.port })
    const answers = new PageAnswers({ store, viewers, links, door: this.door })
    this.server = createServer((request, response) => answers.answer(request, response))
  }

  private get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  /** The address that signs in one browser. */
  get address(): string {
    return this.door.address
  }

  /**
   * Opens the port. Null means the usual port or, if it is in use, any free port.
   *
   * @throws ConfigurationInvalid if the port is not available
   */
  async listen(port: number | null): Promise<void> {
    const error = await this.opened(port ?? usualPort)
    if (error === null) return
    const isInUse = error.code === 'EADDRINUSE'
    if (port === null && isInUse && (await this.opened(0)) === null) return
    const why = isInUse ? 'is in use: choose another' : `cannot be opened: ${error.message}`
    throw new ConfigurationInvalid([`port ${port ?? usualPort} for the page ${why}; 0 means any`])
  }

  private opened(port: number): Promise<NodeJS.ErrnoException | null> {
    return new Promise((resolve) => {
      this.server.once('error', resolve)
      this.server.listen(port, '127.0.0.1', () => {
        this.server.off('error', resolve)
        resolve(null)
      })
    })
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()))
    await this.options.viewers.close()
    this.server.closeAllConnections()
    await closed
  }
}

import type { IncomingMessage } from 'node:http'
import type { Random } from '../../platform/index.js'
import { provenanceOf, type Door } from './door.js'
import { refusalOf, type Refusal } from './guard.js'
import type { Person } from './people.js'
import type { Reply } from './reply.js'
import { cookieIn, Sessions } from './sessions.js'

export interface LoopbackDoorOptions {
  readonly random: Random
  /** The name of the person at this machine. */
  readonly by: string
  /** Returns the port, once it is open. */
  readonly port: () => number
  /** Called with an address for another browser after a browser signed in. */
  readonly onOpened: (address: string) => void
}

/** Lets in the browsers of this machine that were opened with a printed address. */
export class LoopbackDoor implements Door {
  private readonly sessions: Sessions

  constructor(private readonly options: LoopbackDoorOptions) {
    this.sessions = new Sessions(options.random)
  }

  /** The address that signs in one browser. */
  get address(): string {
    return `http://127.0.0.1:${this.options.port()}/?token=${this.sessions.token}`
  }

  refusal(request: IncomingMessage): Refusal | null {
    return refusalOf(provenanceOf(request), this.options.port())
  }

  signIn(url: URL): Reply | null {
    const token = url.searchParams.get('token')
    if (url.pathname !== '/' || token === null) return null
    const secret = this.sessions.exchange(token)
    const type = 'text/plain; charset=utf-8'
    if (secret === null) {
      const body = 'This address was used before. The terminal of "stepward page" shows the present one.'
      return { status: 403, type, body }
    }
    this.options.onOpened(this.address)
    const cookie = `${this.cookieName}=${secret}; HttpOnly; SameSite=Strict; Path=/`
    return { status: 303, type, body: '', headers: { location: '/', 'set-cookie': cookie } }
  }

  personOf({ headers }: IncomingMessage): Person | Refusal {
    if (this.sessions.isOpen(cookieIn(headers.cookie, this.cookieName))) {
      return { by: this.options.by, roles: ['Admin'] }
    }
    const reason = 'Open the address that "stepward page" printed in its terminal: it signs in one browser.'
    return { status: 401, reason }
  }

  /** Cookies belong to a name of a machine and not to a port, so pages of other stores need other names. */
  private get cookieName(): string {
    return `stepward-page-${this.options.port()}`
  }
}

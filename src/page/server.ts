import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigurationInvalid } from '../connection/index.js'
import type { Random } from '../platform/index.js'
import { errorMessage, packageVersion } from '../platform/internal.js'
import { changesPath, openApi, openApiPath } from './api/openapi.js'
import type { PageStore } from './api/page-store.js'
import { answered } from './api/route.js'
import { routes } from './api/routes.js'
import { statusOf } from './api/status-of.js'
import { importMapHash } from './assets/modules.js'
import { pageFile } from './assets/page-files.js'
import { readJson } from './door/body.js'
import { refusalOf } from './door/guard.js'
import { json, problem, protection, send, type Reply } from './door/reply.js'
import { cookieIn, Sessions } from './door/sessions.js'
import type { Viewers } from './live/viewers.js'

export interface ServerOptions {
  readonly store: PageStore
  readonly viewers: Viewers
  readonly random: Random
  /** Called with an address for another browser after a browser signed in. */
  readonly onOpened: (address: string) => void
}

/** The port of a page whose settings name none. */
const usualPort = 8_090

const protecting = protection(importMapHash)

/**
 * Answers browsers and programs of this machine. Files of the page contain no data, so they need no session.
 * Everything under `/api/` needs one.
 */
export class PageServer {
  private readonly sessions: Sessions
  private readonly server: Server

  constructor(private readonly options: ServerOptions) {
    this.sessions = new Sessions(options.random)
    this.server = createServer((request, response) => {
      this.reply(request, response)
        .catch(failed)
        .then((reply) => {
          if (reply !== null) send(response, protecting, reply)
        })
        .catch(() => response.destroy())
    })
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  /** The address that signs in one browser. */
  get address(): string {
    return `http://127.0.0.1:${this.port}/?token=${this.sessions.token}`
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
    throw new ConfigurationInvalid([`port ${port ?? usualPort} for the page ${why} (--port, 0 for any)`])
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

  /** Returns the answer, or null if the response has become a stream of changes. */
  private async reply(request: IncomingMessage, response: ServerResponse): Promise<Reply | null> {
    const { headers, method = '' } = request
    const fetchSite = headers['sec-fetch-site']
    const { host, origin, 'content-type': contentType } = headers
    const refusal = refusalOf(
      { method, host, origin, contentType, fetchSite: fetchSite?.toString() },
      this.port,
    )
    if (refusal !== null) return problem(refusal.status, refusal.reason)
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const token = url.searchParams.get('token')
    if (url.pathname === '/' && token !== null && method === 'GET') return this.signIn(token)
    if (!url.pathname.startsWith('/api/')) {
      return method === 'GET' ? file(url.pathname) : notFound(url.pathname)
    }
    if (!this.sessions.isOpen(cookieIn(headers.cookie, this.cookieName))) {
      return problem(401, notSignedIn, 'NotSignedIn')
    }
    if (method !== 'GET' || url.pathname !== changesPath) return this.apiReply(request, url)
    if (this.options.viewers.add(response, protecting)) return null
    return problem(503, 'too many pages are open: close some', 'Busy')
  }

  private async apiReply(request: IncomingMessage, url: URL): Promise<Reply> {
    const { store } = this.options
    const { method } = request
    if (method === 'GET' && url.pathname === openApiPath) return json(200, openApi(packageVersion()))
    const route = routes.find((known) => known.path === url.pathname && known.method === method)
    if (route === undefined) return notFound(url.pathname)
    try {
      const asked = method === 'GET' ? Object.fromEntries(url.searchParams) : await readJson(request)
      return json(200, await answered(route, store, asked))
    } catch (error) {
      return failed(error)
    }
  }

  private signIn(token: string): Reply {
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

  /** Cookies belong to a name of a machine and not to a port, so pages of other stores need other names. */
  private get cookieName(): string {
    return `stepward-page-${this.port}`
  }
}

const notSignedIn = 'open the address that "stepward page" printed: it signs in this browser'

function file(path: string): Reply {
  const found = pageFile(path)
  return found === null ? notFound(path) : { status: 200, type: found.type, body: found.text }
}

function notFound(path: string): Reply {
  return problem(404, `there is nothing at ${path}`, 'NotFound')
}

/** Answers a request that failed. The message of an unknown error may help the person at this machine. */
function failed(error: unknown): Reply {
  return problem(statusOf(error), errorMessage(error), error instanceof Error ? error.name : 'Error')
}

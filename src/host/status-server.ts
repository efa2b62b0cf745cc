import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigurationInvalid } from '../connection/index.js'
import type { Verdict } from './health.js'

export interface Status {
  /** Returns facts without secrets for a person who opens `/` in a browser. */
  about(): Readonly<Record<string, unknown>>
  live(): Verdict
  ready(): Verdict
  /** Returns the metrics in the text format of Prometheus. */
  metrics(): string
}

export interface StatusServer {
  readonly port: number
  /** Lets `answer` reply to every path except `/healthz`, `/readyz` and `/metrics` from now on. */
  handOver(answer: (request: IncomingMessage, response: ServerResponse) => void): void
  close(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/**
 * Serves `GET /`, `/healthz` (alive), `/readyz` (working) and `/metrics` on every address of the machine. `/`
 * always answers 200, because App Service uses it to check whether the app runs.
 *
 * @throws ConfigurationInvalid if the port is not available
 */
export function serveStatus(port: number, status: Status): Promise<StatusServer> {
  let others: Parameters<StatusServer['handOver']>[0] | null = null
  const server = createServer((request, response) => {
    if (others !== null && !isOwnPath(request.url ?? '/')) {
      others(request, response)
      return
    }
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const { status: code, type, body } = isRead ? answer(request.url ?? '/', status) : notAllowed
    response.writeHead(code, { 'content-type': type, 'cache-control': 'no-store' })
    response.end(request.method === 'HEAD' ? undefined : body)
  })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE' ? 'is in use: choose another' : `cannot be opened: ${error.message}`
      reject(new ConfigurationInvalid([`port ${port} for health and metrics ${why}`]))
    })
    server.listen(port, () => {
      resolve({
        port: (server.address() as AddressInfo).port,
        handOver: (answering) => {
          others = answering
        },
        close: () =>
          new Promise((closed) => {
            server.close(() => closed())
            server.closeAllConnections()
          }),
      })
    })
  })
}

/** Probes and metrics stay where platforms look for them. */
function isOwnPath(url: string): boolean {
  return ['/healthz', '/readyz', '/metrics'].includes(url.replace(/\?.*$/, ''))
}

const notAllowed: Answer = { status: 405, type: 'text/plain', body: 'only GET\n' }

function answer(url: string, status: Status): Answer {
  switch (url.replace(/\?.*$/, '')) {
    case '/':
      return json(200, { ...status.about(), ready: status.ready() })
    case '/healthz':
      return probed(status.live())
    case '/readyz':
      return probed(status.ready())
    case '/metrics':
      return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: status.metrics() }
    default:
      return {
        status: 404,
        type: 'text/plain',
        body: 'the only paths are /, /healthz, /readyz and /metrics\n',
      }
  }
}

function probed(verdict: Verdict): Answer {
  return json(verdict.isHealthy ? 200 : 503, verdict)
}

function json(status: number, value: unknown): Answer {
  return { status, type: 'application/json', body: `${JSON.stringify(value)}\n` }
}

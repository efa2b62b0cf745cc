import type { CosmosClientOptions } from '@azure/cosmos'
import { Socket } from 'node:net'
import { buildConnector, Pool } from 'undici'
import { abortError, AnswerHeaders } from '../../platform/http/answer-headers.js'

type HttpClient = NonNullable<CosmosClientOptions['httpClient']>
type PipelineRequest = Parameters<HttpClient['sendRequest']>[0]
type PipelineResponse = Awaited<ReturnType<HttpClient['sendRequest']>>
type Body = NonNullable<Parameters<Pool['dispatch']>[0]['body']>

/** The time for which a connection without requests stays open, unless the server names another one. */
const keptAliveMs = 60_000

/** The time within which a connection must open. */
const connectedWithinMs = 10_000

/**
 * Opens connections that keep no process alive. A request that is aborted meanwhile leaves its connection to the next one. The
 * timer of the SDK keeps the process alive while it waits for an answer.
 */
const connectNow = buildConnector({ timeout: connectedWithinMs })
const connect: typeof connectNow = (options, callback) => {
  // The connector returns its socket, although its type does not say so.
  const opened: (...args: Parameters<typeof connectNow>) => unknown = connectNow
  const socket = opened(options, callback)
  if (socket instanceof Socket) socket.unref()
}

/** The connections, by the origin of the account and its regions. A connection without requests keeps no process alive. */
const pools = new Map<string, Pool>()

/**
 * Carries the requests of the SDK. The client inside the SDK takes about half as much processor time again for a request, also in
 * an embedded store (ADR 0093). As there, only the SDK limits the time of a request, by its signal.
 */
export const httpClient: HttpClient = {
  sendRequest: (request) => {
    return new Promise((resolve, reject) => {
      const { abortSignal } = request
      if (abortSignal?.aborted === true) {
        reject(abortError())
        return
      }
      const answer = new Answer(request, resolve, reject)
      const { origin, pathname, search } = new URL(request.url)
      const sent = typeof request.body === 'function' ? request.body() : request.body
      poolOf(origin).dispatch(
        {
          path: `${pathname}${search}`,
          method: request.method,
          headers: request.headers.toJSON({ preserveCase: true }),
          body: (sent as Body | undefined) ?? null,
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        answer,
      )
    })
  },
}

function poolOf(origin: string): Pool {
  let pool = pools.get(origin)
  if (pool === undefined) {
    pool = new Pool(origin, { keepAliveTimeout: keptAliveMs, connect })
    pools.set(origin, pool)
  }
  return pool
}

type Handler = Required<Pick<Parameters<Pool['dispatch']>[1], 'onRequestStart' | 'onResponseStart'>>
type Controller = Parameters<Handler['onRequestStart']>[0]
type Headers = Parameters<Handler['onResponseStart']>[2]

/** Collects the answer to one request. */
class Answer {
  private controller: Controller | null = null
  private status = 0
  private readonly headers = new AnswerHeaders()
  private readonly chunks: Buffer[] = []

  constructor(
    private readonly request: PipelineRequest,
    private readonly resolve: (response: PipelineResponse) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    request.abortSignal?.addEventListener('abort', this.abort)
  }

  /** Rejects at once, because a request that waits for a connection has no controller yet. */
  private readonly abort = (): void => {
    const error = abortError()
    this.controller?.abort(error)
    this.end()
    this.reject(error)
  }

  onRequestStart(controller: Controller): void {
    this.controller = controller
    if (this.request.abortSignal?.aborted === true) controller.abort(abortError())
  }

  onResponseStart(_controller: Controller, status: number, headers: Headers): void {
    // The answer comes later.
    if (status < 200) return
    this.status = status
    for (const [name, value] of Object.entries(headers)) {
      const first = Array.isArray(value) ? value[0] : value
      if (first !== undefined) this.headers.set(name, first)
    }
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.end()
    const [first, ...others] = this.chunks
    const bodyAsText = (
      first === undefined || others.length > 0 ? Buffer.concat(this.chunks) : first
    ).toString()
    this.resolve({ request: this.request, status: this.status, headers: this.headers, bodyAsText })
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.end()
    this.reject(error.name === 'AbortError' ? error : namedAsInSdk(error))
  }

  private end(): void {
    this.request.abortSignal?.removeEventListener('abort', this.abort)
  }
}

/** The codes by which the SDK and its callers know failures that have other codes here. */
const codes: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
}

/**
 * Returns an error with a code that the SDK and its callers know. An answer that cannot be read gets the code of an answer that
 * ended too early: the store may have carried out the request, and the SDK must not repeat a write.
 */
function namedAsInSdk(error: Error & { readonly code?: unknown }): Error {
  const code = typeof error.code === 'string' ? error.code : ''
  const known = codes[code] ?? (code === '' || /^(UND_ERR|HPE)_/.test(code) ? 'PARSE_ERROR' : code)
  return Object.assign(new Error(error.message, { cause: error }), { name: 'RestError', code: known })
}

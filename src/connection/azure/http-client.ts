import type { CosmosClientOptions } from '@azure/cosmos'
import type { Dispatcher } from 'undici'

/** Sends the requests of the SDK. */
export type HttpClient = NonNullable<CosmosClientOptions['httpClient']>
type Request = Parameters<HttpClient['sendRequest']>[0]
type Response = Awaited<ReturnType<HttpClient['sendRequest']>>

/** The SDK limits the time of a request itself. An idle connection is kept as long as a client may poll rarely. */
const agentOptions = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 60_000 }

/** The codes of failures that undici names in its own way. Other failures have the codes of the system. */
const systemCodes: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
}

let agent: Promise<Dispatcher> | null = null

/** Loads the library with the first request, so that a process without requests does not load it. */
function loadedAgent(): Promise<Dispatcher> {
  agent ??= import('undici/lib/dispatcher/agent.js').then(({ default: Agent }) => new Agent(agentOptions))
  return agent
}

/**
 * Sends the SDK's requests with undici, which costs about a third less processor time a request than the SDK's own
 * client. The connections are shared by all clients of the process, and do not keep the process alive.
 */
export const httpClient: HttpClient = {
  sendRequest: async (request) => sent(await loadedAgent(), request),
}

function sent(dispatcher: Dispatcher, request: Request): Promise<Response> {
  const { abortSignal, body, method } = request
  const { origin, path } = placeOf(request.url)
  if (body !== undefined && body !== null && typeof body !== 'string') {
    throw new TypeError('the body of a request to Cosmos DB must be a text')
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let [status, headers] = [0, {} as HeaderValues]
    let started: Dispatcher.DispatchController | null = null
    const abort = (): void => {
      reject(abortError())
      started?.abort(abortError())
    }
    const over = (): void => abortSignal?.removeEventListener('abort', abort)
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (controller) => {
        started = controller
        if (abortSignal?.aborted === true) abort()
      },
      onResponseStart: (_controller, statusCode, values) => {
        status = statusCode
        headers = values
      },
      onResponseData: (_controller, chunk) => {
        chunks.push(chunk)
      },
      onResponseEnd: () => {
        over()
        const bodyAsText = Buffer.concat(chunks).toString('utf8')
        resolve({ status, headers: new ResponseHeaders(headers), request, bodyAsText })
      },
      onResponseError: (_controller, error) => {
        over()
        reject(withCode(error))
      },
    }
    abortSignal?.addEventListener('abort', abort)
    const values = request.headers.toJSON({ preserveCase: true })
    dispatcher.dispatch({ origin, path, method, headers: values, body: body ?? null }, handler)
  })
}

/** Splits an absolute address without parsing it, because the SDK has already done so. */
function placeOf(url: string): { readonly origin: string; readonly path: string } {
  const slash = url.indexOf('/', url.indexOf('://') + 3)
  return slash < 0 ? { origin: url, path: '/' } : { origin: url.slice(0, slash), path: url.slice(slash) }
}

/** The SDK recognises an aborted request by this name, whether it timed out or the caller aborted it. */
function abortError(): Error {
  return Object.assign(new Error('the request was aborted'), { name: 'AbortError' })
}

/** The SDK and our adapters decide by the code of a failure what it leaves open, and whether to try again. */
function withCode(error: Error): Error {
  const code: unknown = Reflect.get(error, 'code')
  const known = typeof code === 'string' ? (systemCodes[code] ?? code) : 'REQUEST_SEND_ERROR'
  const told = known.startsWith('UND_ERR') ? 'REQUEST_SEND_ERROR' : known
  return Object.assign(new Error(error.message, { cause: error }), { name: 'RestError', code: told })
}

type HeaderValues = Readonly<Record<string, string | string[] | undefined>>

/** The headers of an answer, by their names in lower case. */
class ResponseHeaders {
  private readonly values: Record<string, string> = {}

  constructor(values: HeaderValues) {
    for (const name of Object.keys(values)) {
      const value = values[name]
      const first = Array.isArray(value) ? value[0] : value
      if (first !== undefined && first !== '') this.values[name] = first
    }
  }

  get(name: string): string | undefined {
    return this.values[name.toLowerCase()]
  }

  has(name: string): boolean {
    return name.toLowerCase() in this.values
  }

  set(name: string, value: string | number | boolean): void {
    this.values[name.toLowerCase()] = String(value)
  }

  delete(name: string): void {
    Reflect.deleteProperty(this.values, name.toLowerCase())
  }

  toJSON(): Record<string, string> {
    return { ...this.values }
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return Object.entries(this.values)[Symbol.iterator]()
  }
}

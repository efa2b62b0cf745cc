import type { CosmosClientOptions } from '@azure/cosmos'
import { abortError, AnswerHeaders } from '../../platform/http/answer-headers.js'
import { systemClock } from '../../platform/index.js'
import type { RestRequest, RestResponse } from '../messages/rest-message.js'

type HttpClient = NonNullable<CosmosClientOptions['httpClient']>
type PipelineRequest = Parameters<HttpClient['sendRequest']>[0]

/** Answers a request. Resolves when the answer may be sent. */
export type Respond = (request: RestRequest) => Promise<RestResponse>

/**
 * The address of an embedded account for all clients that do not use its port: those in its process, and those that attach to its
 * directory. The ids of leases contain the host name, so it must stay the same when another process opens the directory, and be the
 * one of a server with the default host. No client opens a socket to it.
 */
export const embeddedEndpoint = 'https://127.0.0.1'

/**
 * Returns options for a client of the unmodified SDK that calls `respond`, without a network. With
 * a key or another credential, the client signs every request, and wrong signatures are refused. Otherwise no
 * signature is needed.
 */
export function inProcessOptions(
  respond: Respond,
  options: Partial<CosmosClientOptions>,
): CosmosClientOptions {
  return {
    ...options,
    endpoint: embeddedEndpoint,
    connectionPolicy: { enableBackgroundEndpointRefreshing: false, ...options.connectionPolicy },
    httpClient: inProcessHttpClient(respond),
  }
}

/** The time in milliseconds after which a request counts as long. */
const longRequestMs = 50

function inProcessHttpClient(respond: Respond): HttpClient {
  return {
    sendRequest: async (request) => {
      if (request.abortSignal?.aborted === true) throw abortError()
      const begun = systemClock.monotonic()
      const { status, headers, body } = await untilAborted(request, respond(toRestRequest(request)))
      // Without a socket, a client that sends one long request after another would leave no turn for other work.
      if (systemClock.monotonic() - begun >= longRequestMs) await systemClock.sleep(0)
      return { request, status, headers: new AnswerHeaders(Object.entries(headers)), bodyAsText: body }
    },
  }
}

function toRestRequest(request: PipelineRequest): RestRequest {
  const headers = request.headers.toJSON()
  return {
    method: request.method,
    path: request.url.slice(embeddedEndpoint.length),
    headers,
    body: typeof request.body === 'string' ? request.body : '',
    origin: embeddedEndpoint,
    isOwn: headers['authorization'] === undefined,
  }
}

/**
 * Rejects immediately if the caller aborts, as a request over a socket does. The work may still be carried
 * out.
 */
function untilAborted<T>(request: PipelineRequest, work: Promise<T>): Promise<T> {
  const { abortSignal } = request
  if (abortSignal === undefined) return work
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(abortError())
    }
    abortSignal.addEventListener('abort', giveUp)
    work.then(resolve, reject).finally(() => {
      abortSignal.removeEventListener('abort', giveUp)
    })
  })
}

import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { limits } from '../engine/index.js'
import type { Certificate } from './certificate.js'
import type { LocalDoor } from './local-door.js'
import { OpenConnections } from './open-connections.js'
import type { Respond } from './in-process-client.js'
import type { RestResponse } from '../messages/rest-message.js'
import { errorResponse } from '../rest/routes.js'

export interface HttpServerOptions {
  readonly port: number
  readonly host: string
  readonly respond: Respond
  /** If there is a certificate, the server uses only https. */
  readonly certificate?: Certificate
}

export interface HttpServer {
  readonly port: number
  /** Ends idle connections immediately and lets requests under way finish. */
  close(): Promise<void>
}

/** The size of the largest body that is read, which leaves room for the largest batch. */
const maxBodyBytes = limits.batchBytes * 2

/** The largest size of headers. Session tokens and continuation tokens grow with the number of ranges. */
const maxHeaderBytes = 128 * 1024

/** The time for which the server keeps an idle connection open. Clients close idle connections earlier. */
const keepAliveTimeoutMs = 65_000

/** Starts to listen. Rejects with one clear error if the port is not available. */
export async function listen({ port, host, respond, certificate }: HttpServerOptions): Promise<HttpServer> {
  const { server, connections } = answering(respond, certificate)
  await listening(server, port, host)
  const address = server.address() as AddressInfo
  return { port: address.port, close: () => closed(server, connections) }
}

/** A server that answers on connections that are passed to it. It does not listen on a port. */
export interface ConnectionServer {
  accept(socket: Socket): void
  /** Resolves as soon as there is no connection. */
  whenUnused(): Promise<void>
  /** Ends idle connections immediately and lets requests under way finish. */
  close(): void
}

export function serveConnections(respond: Respond, door: LocalDoor): ConnectionServer {
  const { server, connections } = answering(respond)
  server.on('upgrade', (request, socket, head) => {
    door.accept(request, socket, head)
  })
  return {
    accept: (socket) => {
      server.emit('connection', socket.unref())
    },
    whenUnused: () => connections.whenNone(),
    close: () => {
      connections.end()
    },
  }
}

interface Answering {
  readonly server: Server
  readonly connections: OpenConnections
}

function answering(respond: Respond, certificate?: Certificate): Answering {
  const scheme = certificate === undefined ? 'http' : 'https'
  const server = serverOf(certificate, (request, response) => {
    const send = (given: RestResponse): void => {
      // While the server closes, a busy connection must not stay open for another request.
      if (connections.areEnding) response.setHeader('connection', 'close')
      write(response, given)
    }
    answer({ request, scheme }, respond, send).catch((error: unknown) => {
      // No answer can be sent: the client has gone, its connection broke, or `respond` rejected in order to
      // cut the connection.
      response.destroy(error instanceof Error ? error : undefined)
    })
  })
  const connections = new OpenConnections(server)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable) socket.end(error.code === 'HPE_HEADER_OVERFLOW' ? overlongHeaders : malformedRequest)
  })
  // Without this listener, Node would cut the connection without an answer.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => undefined).end(tunnel, () => socket.destroy())
  })
  return { server, connections }
}

function serverOf(certificate: Certificate | undefined, listener: RequestListener): Server {
  const options = { keepAliveTimeout: keepAliveTimeoutMs, maxHeaderSize: maxHeaderBytes }
  if (certificate === undefined) return createServer(options, listener)
  return createTlsServer({ ...options, cert: certificate.certificate, key: certificate.privateKey }, listener)
}

async function answer(
  { request, scheme }: { readonly request: IncomingMessage; readonly scheme: string },
  respond: Respond,
  send: (response: RestResponse) => void,
): Promise<void> {
  const body = await readBody(request)
  if (body === null) {
    const message = `The request body is larger than ${maxBodyBytes} bytes. Send a smaller one.`
    send(errorResponse(413, message))
    return
  }
  const { method = 'GET', url = '/', headers } = request
  const local = `${request.socket.localAddress ?? ''}:${request.socket.localPort ?? 0}`
  send(
    await respond({
      method,
      path: url,
      // Node joins all repeated headers except `set-cookie`, which no client sends.
      headers: headers as Readonly<Record<string, string | undefined>>,
      body,
      origin: `${scheme}://${headers.host ?? local}`,
    }),
  )
}

/**
 * Reads the body as text. Returns null if the body is too large, and discards the rest. Rejects if the client
 * disconnects early. Uses events, because iterating over a request is slow.
 */
function readBody(request: IncomingMessage): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBodyBytes) chunks.push(chunk)
    })
    request.on('end', () => {
      resolve(bytes > maxBodyBytes ? null : Buffer.concat(chunks).toString('utf8'))
    })
    request.on('error', reject)
  })
}

function write(response: ServerResponse, { status, headers, body }: RestResponse): void {
  const isBodiless = status === 204 || status === 304
  // Names and values alternate in this list, which Node writes unchanged.
  const lines: string[] = []
  for (const name of Object.keys(headers)) {
    if (isBodiless && name === 'content-length') continue
    lines.push(name, headerText(headers[name] ?? ''))
  }
  response.writeHead(status, lines)
  response.end(isBodiless ? undefined : body)
}

/**
 * Escapes characters that a header cannot contain, as the service does. The conversion to bytes also replaces
 * unpaired surrogates.
 */
function headerText(value: string): string {
  return /^[\t\x20-\x7e]*$/u.test(value) ? value : encodeURI(Buffer.from(value).toString())
}

/** The answer to a request that cannot be read. There is no response object for such a request. */
const malformedRequest = rawResponse('400 Bad Request', errorResponse(400, 'The request is not valid HTTP.'))
const overlongHeaders = rawResponse(
  '431 Request Header Fields Too Large',
  errorResponse(431, `The headers are larger than ${maxHeaderBytes} bytes. Send fewer or shorter headers.`),
)

const tunnel = rawResponse(
  '405 Method Not Allowed',
  errorResponse(405, 'The emulator is not a proxy, so it does not answer CONNECT. Use its address directly.'),
)

function rawResponse(statusLine: string, { headers, body }: RestResponse): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${statusLine}`, ...lines, 'connection: close', '', body].join('\r\n')
}

async function listening(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new Error(listenFailure(error as NodeJS.ErrnoException, port, host), { cause: error })
  }
  // Later errors belong to a connection that was not accepted. The system informs its client.
  server.on('error', () => undefined)
}

function listenFailure(error: NodeJS.ErrnoException, port: number, host: string): string {
  const known: Readonly<Record<string, string>> = {
    EADDRINUSE:
      `Port ${port} on ${host} is in use, perhaps by another emulator. Stop it, or choose ` +
      'another port (0 takes any free one).',
    EACCES: `This user may not listen on port ${port} of ${host}. Choose a port of 1024 or above.`,
    EADDRNOTAVAIL:
      `${host} is not an address of this machine. Choose 127.0.0.1, or 0.0.0.0 for every ` + 'address.',
  }
  return known[error.code ?? ''] ?? `The emulator cannot listen on ${host}:${port}: ${error.message}`
}

function closed(server: Server, connections: OpenConnections): Promise<void> {
  return new Promise((resolve) => {
    // Busy connections end after their answer.
    server.close(() => {
      resolve()
    })
    connections.end()
  })
}

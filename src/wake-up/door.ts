import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../platform/index.js'
import type { AwaitedEnds } from './awaited-ends.js'
import {
  answerText,
  hintsOf,
  longestBody,
  paths,
  sessionOf,
  signatureHeader,
  type HintMessage,
  type TakenWork,
  type Unread,
} from './message.js'
import { wakeAddressText, type WakeAddress } from './wake-address.js'

/** Where a process takes hints. */
export type DoorPlace =
  /** On a free port that only processes of this machine can reach. */
  | { readonly kind: 'loopback' }
  /** On the port of this origin, on all addresses of the machine. Others use the origin. */
  | { readonly kind: 'origin'; readonly origin: string }

export interface DoorParts {
  readonly key: string
  readonly clock: Clock
  readonly ends: AwaitedEnds
  /** Called with every message whose signature, time and form are right. Returns the hints that are for another process. */
  readonly onHints: (message: HintMessage) => Unread
  readonly takenWork: () => TakenWork
}

/** An open door. */
export interface Door {
  /** The address as leases contain it. */
  readonly address: string
  close(): Promise<void>
}

/**
 * Takes hints about writes over HTTP. A request without a valid signature is refused, and does nothing.
 *
 * @throws the error of the system if the port is not available
 */
export function openDoor(place: DoorPlace, parts: DoorParts): Promise<Door> {
  const server = createServer((request, response) => {
    answer(request, response, parts).catch(() => response.destroy())
  })
  server.unref()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(listening(place), () => {
      const { port } = server.address() as AddressInfo
      const origin = place.kind === 'origin' ? place.origin : `http://127.0.0.1:${port}`
      const address: WakeAddress = { origin, key: parts.key }
      resolve({
        address: wakeAddressText(address),
        close: () =>
          new Promise((closed) => {
            server.close(() => closed())
            server.closeAllConnections()
          }),
      })
    })
  })
}

function listening(place: DoorPlace): { readonly port: number; readonly host?: string } {
  if (place.kind === 'loopback') return { port: 0, host: '127.0.0.1' }
  const { port, protocol } = new URL(place.origin)
  const usual = protocol === 'https:' ? 443 : 80
  return { port: port === '' ? usual : Number(port) }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { key, clock, ends, onHints, takenWork }: DoorParts,
): Promise<void> {
  const path = request.url ?? ''
  if (request.method !== 'POST' || (path !== paths.hints && path !== paths.ended)) {
    refuse(response, 404, 'the only requests are POST /wake and POST /ended')
    return
  }
  const body = await bodyOf(request)
  if (body === null) {
    refuse(response, 413, `a body has at most ${longestBody} bytes: send a smaller message`)
    return
  }
  const received = { path, body, signature: String(request.headers[signatureHeader] ?? '') }
  if (path === paths.hints) {
    const message = hintsOf(received, key, clock.now())
    if (message === null) {
      refuse(response, 403, unsigned)
      return
    }
    sendJson(response, answerText(takenWork(), onHints(message)))
    return
  }
  const session = sessionOf(received, key, clock.now())
  if (session === null) {
    refuse(response, 403, unsigned)
    return
  }
  const left = new AbortController()
  response.once('close', () => left.abort())
  const ended = await ends.next(session, left.signal)
  sendJson(response, JSON.stringify({ ended }))
}

function sendJson(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(text)
}

const unsigned =
  'the signature, the time or the form of the request is wrong: use the key in the lease, and check the clocks'

function refuse(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${why}\n`)
}

/** Reads the body of a request. Returns null if the body is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > longestBody) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from 'stepward'
import { Refusal, type Answer } from './answer.js'
import type { FaultInjector } from './faults.js'
import type { Ledger } from './ledger.js'
import type { Operations, Work } from './operations.js'

export interface Serving {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly faults: FaultInjector
  readonly operations: Operations
  readonly closing: AbortSignal
}

/** Serves one request, with the fault that its key meets, if any. */
export async function serveRequest(
  serving: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    if (request.method === 'GET' && request.url === '/ledger') {
      send(response, { status: 200, body: { ...serving.ledger.report() } })
      return
    }
    const work = serving.operations.understand({
      method: request.method ?? '',
      path: request.url ?? '',
      idempotencyKey: request.headers['idempotency-key']?.toString(),
      body: await textOf(request),
    })
    serving.ledger.countRequest()
    await carryOut(serving, work, response)
  } catch (error) {
    send(response, error instanceof Refusal ? error.answer : broken(error))
  }
}

async function carryOut(serving: Serving, work: Work, response: ServerResponse): Promise<void> {
  const { clock, ledger, faults, closing } = serving
  const { fault, delayMs } = faults.next(work.name)
  if (fault !== undefined) ledger.countFault(fault)
  await clock.sleep(delayMs, closing)
  // To the client, a response that never ends looks like a hanging service.
  if (closing.aborted || fault === 'hangBeforeWork') return
  if (fault === 'unavailable') {
    send(response, { status: 503, body: { code: 'unavailable', message: 'nothing was done; try again' } })
    return
  }
  const { answer, isFromMemory } = work.run()
  if (isFromMemory) ledger.countAnswerFromMemory()
  if (fault === 'hangAfterWork') return
  if (fault === 'dropAfterWork') response.destroy()
  else send(response, answer)
}

const maxBodyCharacters = 1_000_000

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) {
    text += String(part)
    if (text.length > maxBodyCharacters) {
      throw new Refusal(413, 'too-large', `a body may have ${maxBodyCharacters} characters; send less`)
    }
  }
  return text
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.statusCode = status
  if (body === undefined) {
    response.end()
    return
  }
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(JSON.stringify(body))
}

/** Returns the answer if this code has a bug, or if the client disconnected while it sent the request. */
function broken(error: unknown): Answer {
  return { status: 500, body: { code: 'broken', message: String(error) } }
}

/**
 * A remote service for samples. It does the work once for each idempotency key and records the work. It runs
 * in the process that starts it, and keeps its data in memory.
 *
 * | request | answer |
 * | --- | --- |
 * | `POST /{kind}` with an `idempotency-key` and any JSON object | 201 `{ id }` and further fields that the sample chose; the same key gets the same id and has no second effect |
 * | `POST /undo` with an `idempotency-key`, and with `{ key }`, the key of the effect to undo | 200 `{ undone }`: false if there was no effect |
 *
 * If an undo finds no effect for a key, later requests with that key are refused. So after an undo, a request
 * whose answer was lost certainly has no lasting effect.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'

/** One effect that the service had. */
export interface Effect {
  readonly kind: string
  readonly key: string
  readonly id: string
  isUndone: boolean
}

/** A request in the form that the service sees. */
export interface RemoteRequest {
  readonly kind: string
  readonly key: string
  readonly body: Readonly<Record<string, unknown>>
  /** The number of the request among all requests with this key. The first has number 1. */
  readonly number: number
}

/**
 * Chooses the behaviour for a request. `silent` does nothing and sends no answer. `doneAndSilent` does the
 * work but sends no answer. A refusal may say why. Default: `done`.
 */
export type Mood = (
  request: RemoteRequest,
) => 'done' | 'refused' | 'silent' | 'doneAndSilent' | { readonly refused: string }

/** Returns further fields of the answer, which depend only on the request. Default: none. */
export type Facts = (request: Pick<RemoteRequest, 'kind' | 'body'>) => Readonly<Record<string, unknown>>

/** The running service. */
export interface RemoteService {
  /** The URL of the service, without a trailing slash. */
  readonly url: string
  /** Returns every effect, oldest first. */
  effects(): readonly Effect[]
  /** Cuts every connection, including hanging ones. */
  close(): Promise<void>
}

/** Starts the service on a free port of the loopback address. */
export async function startRemoteService(
  mood: Mood = () => 'done',
  facts: Facts = () => ({}),
): Promise<RemoteService> {
  const book = new Book(mood, facts)
  const server = createServer((request, response) => {
    readRequest(request).then(
      (asked) => {
        const answer = book.answerTo(asked)
        if (answer === null) return
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(answer.body))
      },
      () => response.destroy(),
    )
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    effects: () => book.effects,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

class Book {
  readonly effects: Effect[] = []
  private readonly requests = new Map<string, number>()
  private readonly refused = new Set<string>()

  constructor(
    private readonly mood: Mood,
    private readonly facts: Facts,
  ) {}

  /** Returns the answer to a request, or null to send none. */
  answerTo({ kind, key, body }: Omit<RemoteRequest, 'number'>): Answer | null {
    if (kind === 'undo') return this.undo(String(body['key']))
    const number = (this.requests.get(key) ?? 0) + 1
    this.requests.set(key, number)
    const mood = this.mood({ kind, key, body, number })
    // A refusal by the mood is not remembered. A key that was undone before its call is always refused.
    if (typeof mood === 'object') return { status: 409, body: { message: mood.refused } }
    if (mood === 'refused' || this.refused.has(key)) {
      return { status: 409, body: { message: `there is no ${kind} for ${JSON.stringify(body)}` } }
    }
    if (mood === 'silent') return null
    const id = this.doOnce(kind, key)
    return mood === 'doneAndSilent' ? null : { status: 201, body: { ...this.facts({ kind, body }), id } }
  }

  private doOnce(kind: string, key: string): string {
    const known = this.effects.find((effect) => effect.key === key)
    if (known !== undefined) return known.id
    const effect = { kind, key, id: `${kind}-${this.effects.length + 1}`, isUndone: false }
    this.effects.push(effect)
    return effect.id
  }

  private undo(key: string): Answer {
    const effect = this.effects.find((candidate) => candidate.key === key)
    if (effect === undefined) this.refused.add(key)
    else effect.isUndone = true
    return { status: 200, body: { undone: effect !== undefined } }
  }
}

async function readRequest(request: IncomingMessage): Promise<Omit<RemoteRequest, 'number'>> {
  request.setEncoding('utf8')
  let text = ''
  for await (const part of request) text += String(part)
  const key = decodeURIComponent(String(request.headers['idempotency-key']))
  return { kind: (request.url ?? '/').slice(1), key, body: JSON.parse(text) as Record<string, unknown> }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(address !== null && typeof address === 'object' ? address.port : 0)
    })
  })
}

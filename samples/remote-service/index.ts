/**
 * A remote service for samples: whatever is asked of it, it does once for each idempotency key, and writes down. It runs
 * in the process that starts it and forgets everything with it.
 *
 * | request | answer |
 * | --- | --- |
 * | `POST /{kind}` with an `idempotency-key` and any JSON object | 201 `{ id }`; the same key again, the same id and no second effect |
 * | `POST /undo` with a key and `{ key }` of what is to be undone | 200 `{ undone }`: false where nothing had been done |
 *
 * What was undone before it was done is refused when it comes late: the undo of a request that nobody has an answer to
 * settles that request.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'

/** Something that was done, once and for all. */
export interface Effect {
  readonly kind: string
  /** The idempotency key it was asked for with. */
  readonly key: string
  readonly id: string
  isUndone: boolean
}

/** A request as the service sees it. */
export interface RemoteRequest {
  readonly kind: string
  readonly key: string
  readonly body: Readonly<Record<string, unknown>>
  /** 1 for the first request with this key. */
  readonly number: number
}

/**
 * What the service does with a request: the work, a refusal, or no answer, before the work or after it. Default: the work
 * is done.
 */
export type Mood = (request: RemoteRequest) => 'done' | 'refused' | 'silent' | 'doneAndSilent'

/** The service while it runs. */
export interface RemoteService {
  /** Without a slash at the end. */
  readonly url: string
  /** Everything that was done, oldest first. */
  effects(): readonly Effect[]
  /** Cuts every connection, hanging ones included. */
  close(): Promise<void>
}

/** Starts the service on a free port of the loopback address. */
export async function startRemoteService(mood: Mood = () => 'done'): Promise<RemoteService> {
  const book = new Book(mood)
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

/** What was asked, and what was done. */
class Book {
  readonly effects: Effect[] = []
  private readonly requests = new Map<string, number>()
  private readonly refused = new Set<string>()

  constructor(private readonly mood: Mood) {}

  /** Null when there is to be no answer. */
  answerTo({ kind, key, body }: Omit<RemoteRequest, 'number'>): Answer | null {
    if (kind === 'undo') return this.undo(String(body['key']))
    const number = (this.requests.get(key) ?? 0) + 1
    this.requests.set(key, number)
    const mood = this.mood({ kind, key, body, number })
    // A refusal is not remembered. A key whose undo came before its call is refused from then on.
    if (mood === 'refused' || this.refused.has(key)) {
      return { status: 409, body: { message: `there is no ${kind} for ${JSON.stringify(body)}` } }
    }
    if (mood === 'silent') return null
    const id = this.doOnce(kind, key)
    return mood === 'doneAndSilent' ? null : { status: 201, body: { id } }
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

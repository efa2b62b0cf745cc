import { Agent, request as overHttp } from 'node:http'
import { Agent as SecureAgent, request as overHttps } from 'node:https'

/** A request to the door of another process. */
export interface DoorRequest {
  readonly origin: string
  readonly path: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Sends a request and returns the body of its answer. Rejects if the answer is not 2xx. */
export type Post = (request: DoorRequest) => Promise<string>

/** Returns a function that sends requests over connections that stay open, and a function that closes them. */
export function keptConnections(): { readonly post: Post; readonly close: () => void } {
  const agents = {
    plain: new Agent({ keepAlive: true }),
    secure: new SecureAgent({ keepAlive: true }),
  }
  return {
    post: (request) => sent(request, agents),
    close: () => {
      agents.plain.destroy()
      agents.secure.destroy()
    },
  }
}

function sent(
  { origin, path, body, headers, timeoutMs, signal }: DoorRequest,
  agents: { readonly plain: Agent; readonly secure: SecureAgent },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const length = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const options = { method: 'POST', headers: { ...headers, ...length }, timeout: timeoutMs, signal }
    const url = `${origin}${path}`
    const request = url.startsWith('https:')
      ? overHttps(url, { ...options, agent: agents.secure })
      : overHttp(url, { ...options, agent: agents.plain })
    request.on('error', reject)
    request.on('timeout', () => request.destroy(new Error(`${origin} did not answer within ${timeoutMs} ms`)))
    // A process that has nothing else to do may end while it waits for an answer.
    request.on('socket', (socket) => socket.unref())
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode = 0 } = response
        if (statusCode >= 200 && statusCode < 300) resolve(Buffer.concat(chunks).toString())
        else reject(new Error(`${origin} answered ${statusCode}`))
      })
    })
    request.end(body)
  })
}

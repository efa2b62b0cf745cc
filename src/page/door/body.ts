import type { IncomingMessage } from 'node:http'

/** The largest body of a request. An input of a step is a part of a document of at most 2 MB. */
const usualBytes = 2_000_000

/** Ends a request whose body the server does not accept. */
export class BodyRefused extends Error {
  override readonly name = 'BodyRefused'
  constructor(
    readonly status: 400 | 413,
    message: string,
  ) {
    super(message)
  }
}

/**
 * Reads the body of a request as JSON.
 *
 * @throws BodyRefused if the body is too large or is not JSON
 */
export async function readJson(request: IncomingMessage, mostBytes = usualBytes): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > mostBytes) throw new BodyRefused(413, `a body has at most ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown
  } catch {
    throw new BodyRefused(400, 'the body is not JSON')
  }
}

import type { ServerResponse } from 'node:http'

/** An answer without its protective headers. */
export interface Reply {
  readonly status: number
  readonly type: string
  readonly body: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Returns the headers that limit the page to its own files and its own server, and prevent other pages from
 * embedding or reading it. Only the policy `stepward` of the page can make a text the address of a worker.
 *
 * @param importMapHash the hash of the import map, which is the only text inside the HTML that browsers read
 */
export function protection(importMapHash: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy':
      `default-src 'none'; script-src 'self' '${importMapHash}'; style-src 'self'; img-src 'self'; ` +
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
      "require-trusted-types-for 'script'; trusted-types stepward",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}

export function send(
  response: ServerResponse,
  protecting: Readonly<Record<string, string>>,
  reply: Reply,
): void {
  response.writeHead(reply.status, {
    ...protecting,
    'content-type': reply.type,
    'content-length': String(Buffer.byteLength(reply.body)),
    'cache-control': 'no-store',
    ...reply.headers,
  })
  response.end(reply.body)
}

export function json(status: number, value: unknown): Reply {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(value) }
}

export function problem(status: number, message: string, name = 'Refused'): Reply {
  return json(status, { error: { name, message } })
}

import { isIP } from 'node:net'

/** The parts of a request that say where it comes from. */
export interface Provenance {
  readonly method: string
  readonly host: string | undefined
  readonly origin: string | undefined
  /** The header `sec-fetch-site`, which only a browser sets. */
  readonly fetchSite: string | undefined
  readonly contentType: string | undefined
}

/** A refused request: the status of the answer, and the reason. */
export interface Refusal {
  readonly status: number
  readonly reason: string
}

/**
 * Decides whether the server answers a request, before it looks at the path. Another site can make its own
 * name point to this machine, so only names of this machine are accepted. A page of another origin can send
 * requests, so its `Origin` is refused.
 */
export function refusalOf(request: Provenance, port: number): Refusal | null {
  const { method, host = '', origin, fetchSite, contentType } = request
  if (!isOwnHost(host, port)) {
    return { status: 403, reason: 'open the page at 127.0.0.1 or localhost, with the port that it printed' }
  }
  return foreignRefusal({ method, host, origin, fetchSite, contentType }, `http://${host}`)
}

/**
 * Decides the same for a page behind a platform that checks the name of the host, encrypts, and signs people
 * in. Other sites can still send requests with the cookie of the platform.
 */
export function platformRefusalOf(request: Provenance): Refusal | null {
  return foreignRefusal(request, `https://${request.host ?? ''}`)
}

/** Decides the same for a page behind a proxy, under whose origin people open the page. */
export function proxyRefusalOf(request: Provenance, origin: string): Refusal | null {
  return foreignRefusal(request, origin)
}

function foreignRefusal(
  { method, origin, fetchSite, contentType }: Provenance,
  ownOrigin: string,
): Refusal | null {
  if (origin !== undefined && origin !== ownOrigin) {
    return { status: 403, reason: 'the page does not answer requests of other pages' }
  }
  if (method === 'GET') return null
  if (method !== 'POST') return { status: 405, reason: 'the page answers GET and POST' }
  if (fetchSite !== undefined && fetchSite !== 'same-origin') {
    return { status: 403, reason: 'the page does not answer requests of other pages' }
  }
  // A form cannot send this type, and another page cannot send it without the consent of this server.
  const [type = ''] = (contentType ?? '').split(';')
  return type.trim().toLowerCase() === 'application/json'
    ? null
    : { status: 415, reason: 'an action needs a body with the content type application/json' }
}

function isOwnHost(host: string, port: number): boolean {
  const [, name = '', at = '80'] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/u.exec(host.toLowerCase()) ?? []
  const isOwnName = name === 'localhost' || name === '[::1]' || (isIP(name) === 4 && name.startsWith('127.'))
  return isOwnName && Number(at) === port
}

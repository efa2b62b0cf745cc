import type { IncomingMessage } from 'node:http'
import type { Refusal } from './guard.js'
import type { Person } from './people.js'
import type { Reply } from './reply.js'

/** Decides who may use the page. */
export interface Door {
  /** Refuses a request before its path is looked at, or returns null. */
  refusal(request: IncomingMessage): Refusal | null
  /** Answers a request that signs in, or returns null for any other request. */
  signIn(url: URL): Reply | null
  /** Returns the person who sent a request, or why there is none. */
  personOf(request: IncomingMessage): Person | Refusal | Promise<Person | Refusal>
}

/** Returns the parts of a request by which a guard knows where it comes from. */
export function provenanceOf({ method = '', headers }: IncomingMessage) {
  const { host, origin, 'content-type': contentType } = headers
  return { method, host, origin, contentType, fetchSite: headers['sec-fetch-site']?.toString() }
}

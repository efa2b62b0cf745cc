import type { RestRequest } from '../../messages/rest-message.js'

/** A request with the parts of its path, both decoded and as they were sent. */
export interface Claim {
  readonly request: RestRequest
  readonly segments: readonly string[]
  readonly rawSegments: readonly string[]
}

/** The parts of a signature that depend on the path. */
export interface SignedResource {
  /**
   * The kinds of resource that the client may have signed, such as `dbs`, `colls` or `docs`; an empty string
   * for the account. SDKs sign operations on a container differently, so there may be several kinds.
   */
  readonly kinds: readonly string[]
  /** The links that the client may have signed. SDKs differ in escaping and in how they sign resource ids. */
  readonly links: readonly string[]
}

/**
 * Returns the kinds and links that a client may sign for a path. A feed is signed with the link of its
 * parent.
 */
export function signedResource(segments: readonly string[], rawSegments: readonly string[]): SignedResource {
  if (segments.length === 6 && segments[4] === 'operations') {
    const { links } = signedResource(segments.slice(0, 4), rawSegments.slice(0, 4))
    return { kinds: ['colls', 'partitionkey'], links }
  }
  const isFeed = segments.length % 2 === 1
  const kind = (isFeed ? segments.at(-1) : segments.at(-2)) ?? ''
  const [link, rawLink] = [segments, rawSegments].map((all) => (isFeed ? all.slice(0, -1) : all).join('/'))
  const rid = (isFeed ? segments.at(-2) : segments.at(-1)) ?? ''
  return { kinds: [kind.toLowerCase()], links: [link ?? '', rawLink ?? '', rid.toLowerCase()] }
}

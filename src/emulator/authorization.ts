import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto'
import { Refusal } from './engine/index.js'
import type { RestRequest } from './rest-message.js'

/** What a signature is made over, as far as the path says it. */
export interface SignedResource {
  /** `dbs`, `colls`, `docs`, …; empty for the account. SDKs disagree about operations on a container. */
  readonly kinds: readonly string[]
  /** Links the client may have signed: SDKs differ in escaping and in how they sign resource ids. */
  readonly links: readonly string[]
}

/** Refuses a request that was not signed with `key`, the account's. */
export function assertAuthorized(request: RestRequest, resource: SignedResource, key: MasterKey): void {
  const token = decoded(request.headers['authorization'] ?? '')
  if (token === '') throw unauthorized('The request has no authorization header.')
  const fields = new Map(token.split('&').map((field) => split(field)))
  if (fields.get('type') !== 'master') {
    throw unauthorized(
      `The embedded Cosmos DB knows only master key signatures, not '${fields.get('type') ?? 'none'}'. Give the client its key.`,
    )
  }
  const given = Buffer.from(fields.get('sig') ?? '', 'base64')
  const date = request.headers['x-ms-date'] ?? request.headers['date'] ?? ''
  const claims = resource.kinds.flatMap((kind) => resource.links.map((link) => ({ kind, link })))
  const isSigned = claims.some(({ kind, link }) => {
    const expected = key.signatureOf({ method: request.method, kind, link, date })
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!isSigned) {
    throw unauthorized(
      'The input authorization token can not serve the request: the signature was not made with the key of this account. Check the key.',
    )
  }
}

/** What a signature is made over. */
export interface SignedParts {
  readonly method: string
  readonly kind: string
  readonly link: string
  /** The `x-ms-date` header. */
  readonly date: string
}

/** So many signatures are remembered. */
const rememberedSignatures = 1_000

/** An account's master key. */
export class MasterKey {
  private readonly key: KeyObject
  /** By what was signed. Dates are of a second: whoever is busy signs the same again and again. */
  private readonly remembered = new Map<string, Buffer>()

  /** @param key base64 */
  constructor(key: string) {
    this.key = createSecretKey(Buffer.from(key, 'base64'))
  }

  signatureOf({ method, kind, link, date }: SignedParts): Buffer {
    const text = `${method.toLowerCase()}\n${kind}\n${link}\n${date.toLowerCase()}\n\n`
    const known = this.remembered.get(text)
    if (known !== undefined) return known
    const signature = createHmac('sha256', this.key).update(text).digest()
    if (this.remembered.size >= rememberedSignatures) this.remembered.clear()
    this.remembered.set(text, signature)
    return signature
  }
}

/** What a client signs for a path: the resource itself, or the parent of a feed. */
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

function unauthorized(message: string): Refusal {
  return new Refusal(401, message)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** At the first `=` only: a base64 signature ends with some. */
function split(field: string): readonly [string, string] {
  const at = field.indexOf('=')
  return at < 0 ? [field, ''] : [field.slice(0, at), field.slice(at + 1)]
}

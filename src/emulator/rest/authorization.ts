import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto'
import { Refusal } from '../engine/index.js'
import { decodedOrRaw, type RestRequest } from '../messages/rest-message.js'

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

/** The key with which requests are signed, and the clock of the clients that sign. */
export interface Signing {
  readonly key: MasterKey
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Refuses a request without the account's signature, or with a date that is more than 15 minutes from the
 * current time.
 */
export function assertAuthorized(
  request: RestRequest,
  resource: SignedResource,
  { key, now }: Signing,
): void {
  const token = decodedOrRaw(request.headers['authorization'] ?? '')
  if (token === '')
    throw unauthorized(
      'Required Header authorization is missing. Ensure a valid Authorization token is passed.',
    )
  const fields = new Map(token.split('&').map((field) => split(field)))
  if (fields.get('type') !== 'master') {
    throw unauthorized(
      'The embedded Cosmos DB knows only master key signatures, not ' +
        `'${fields.get('type') ?? 'none'}'. Give the client its key.`,
    )
  }
  const given = Buffer.from(fields.get('sig') ?? '', 'base64')
  const date = request.headers['x-ms-date'] ?? request.headers['date'] ?? ''
  const claims = resource.kinds.flatMap((kind) => resource.links.map((link) => ({ kind, link })))
  const isSigned = claims.some(({ kind, link }) =>
    key.hasSigned({ method: request.method, kind, link, date }, given),
  )
  if (!isSigned) {
    throw unauthorized(
      "The input authorization token can't serve the request. The signature was not made with the key of " +
        'this account; check the key.',
    )
  }
  assertCurrent(date, now())
}

/** The largest allowed difference between the clocks of client and account, as in the service. */
const longestSkewMs = 15 * 60_000

function assertCurrent(date: string, now: number): void {
  const signedAt = Date.parse(date)
  if (Number.isNaN(signedAt)) {
    throw unauthorized(
      `The x-ms-date header is '${date.slice(0, 60)}', which is not a date. Send the time of the request.`,
    )
  }
  if (Math.abs(signedAt - now) <= longestSkewMs) return
  throw new Refusal(
    403,
    `The authorization token is not valid at the current time: it was signed at ${date.slice(0, 60)}, ` +
      `and the server's time is ${new Date(now).toUTCString()}. They may differ by at most 15 minutes. Correct the client's clock.`,
  )
}

export interface SignedParts {
  readonly method: string
  readonly kind: string
  readonly link: string
  readonly date: string
}

/** The largest number of remembered signatures, and the length of the longest signed text to remember. */
const rememberedSignatures = 1_000
const longestRemembered = 1_024

export class MasterKey {
  private readonly key: KeyObject
  /** Valid signatures, by signed text. A busy client signs the same text several times in a second. */
  private readonly remembered = new Map<string, Buffer>()

  /** @param key the master key in base64 */
  constructor(key: string) {
    this.key = createSecretKey(Buffer.from(key, 'base64'))
  }

  signatureOf(parts: SignedParts): Buffer {
    return this.signed(signedText(parts))
  }

  /** Checks whether this key made a signature. */
  hasSigned(parts: SignedParts, given: Buffer): boolean {
    const text = signedText(parts)
    const known = this.remembered.get(text)
    const expected = known ?? this.signed(text)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false
    if (known === undefined && text.length <= longestRemembered) this.remember(text, expected)
    return true
  }

  /** The number of characters of all remembered signed texts. */
  get rememberedCharacters(): number {
    return [...this.remembered.keys()].reduce((total, text) => total + text.length, 0)
  }

  private remember(text: string, signature: Buffer): void {
    if (this.remembered.size >= rememberedSignatures) this.remembered.clear()
    this.remembered.set(text, signature)
  }

  private signed(text: string): Buffer {
    return createHmac('sha256', this.key).update(text).digest()
  }
}

function signedText({ method, kind, link, date }: SignedParts): string {
  return `${method.toLowerCase()}\n${kind}\n${link}\n${date.toLowerCase()}\n\n`
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

function unauthorized(message: string): Refusal {
  return new Refusal(401, message)
}

/** Splits a field at the first `=`, because a base64 signature may end with that character. */
function split(field: string): readonly [string, string] {
  const at = field.indexOf('=')
  return at < 0 ? [field, ''] : [field.slice(0, at), field.slice(at + 1)]
}

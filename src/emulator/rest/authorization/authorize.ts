import { Refusal, type CosmosEngine } from '../../engine/index.js'
import { decodedOrRaw } from '../../messages/rest-message.js'
import type { Signing } from './master-key.js'
import { assertPermitted } from './permitted.js'
import { permissionRidOf } from './resource-token.js'
import { signedResource, type Claim } from './signed-resource.js'

/**
 * Refuses a request that neither the account's key nor a resource token allows. The date of a signature must
 * be within 15 minutes of the current time.
 */
export function assertAuthorized(claim: Claim, engine: CosmosEngine, signing: Signing): void {
  const token = decodedOrRaw(claim.request.headers['authorization'] ?? '')
  if (token === '')
    throw unauthorized(
      'Required Header authorization is missing. Ensure a valid Authorization token is passed.',
    )
  const fields = new Map(token.split('&').map((field) => split(field)))
  const signature = fields.get('sig') ?? ''
  const type = fields.get('type')
  if (type === 'master') {
    assertSigned(claim, signature, signing)
    return
  }
  if (type === 'resource') {
    assertPermitted(claim, engine, permissionRidOf(signature, signing))
    return
  }
  throw unauthorized(
    'The embedded Cosmos DB knows only signatures of the master key and resource tokens, not ' +
      `'${type ?? 'none'}'. Give the client the account's key.`,
  )
}

function assertSigned({ request, segments, rawSegments }: Claim, signature: string, signing: Signing): void {
  const { key, now } = signing
  const given = Buffer.from(signature, 'base64')
  const date = request.headers['x-ms-date'] ?? request.headers['date'] ?? ''
  const { kinds, links } = signedResource(segments, rawSegments)
  const claims = kinds.flatMap((kind) => links.map((link) => ({ kind, link })))
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

function unauthorized(message: string): Refusal {
  return new Refusal(401, message)
}

/** Splits a field at the first `=`, because a base64 signature may end with that character. */
function split(field: string): readonly [string, string] {
  const at = field.indexOf('=')
  return at < 0 ? [field, ''] : [field.slice(0, at), field.slice(at + 1)]
}

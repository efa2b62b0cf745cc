import type { IncomingMessage } from 'node:http'
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload } from 'jose'
import { provenanceOf, type Door } from './door.js'
import { proxyRefusalOf, type Refusal } from './guard.js'
import { pageRoles, type Person } from './people.js'
import type { Reply } from './reply.js'

/** The application in Microsoft Entra ID for which tokens must be issued, and the page's address. */
export interface EntraApplication {
  readonly tenantId: string
  readonly clientId: string
  /** The address of Entra ID. Default: `https://login.microsoftonline.com`, the public cloud. */
  readonly authority?: string | undefined
  /** The origin under which people open the page, such as `https://jobs.contoso.com`. */
  readonly publicUrl: string
}

const publicCloud = 'https://login.microsoftonline.com'

/** A token that is this much older or newer than it says is believed, because clocks differ. */
const clockToleranceSeconds = 60

/** The claims that name a person, the best first. An application without a user has only the last two. */
const nameClaims = ['preferred_username', 'upn', 'email', 'name', 'azp', 'appid'] as const

/**
 * Lets in the people whose requests contain a token of Microsoft Entra ID, which a proxy or a program sends as
 * `Authorization: Bearer`. The token must be signed with a key of the tenant, and issued for the application.
 */
export class TokenDoor implements Door {
  private readonly keys: ReturnType<typeof createRemoteJWKSet>

  constructor(private readonly application: EntraApplication) {
    const { authority = publicCloud, tenantId } = application
    this.keys = createRemoteJWKSet(new URL(`${authority}/${tenantId}/discovery/v2.0/keys`))
  }

  refusal(request: IncomingMessage): Refusal | null {
    return proxyRefusalOf(provenanceOf(request), this.application.publicUrl)
  }

  /** The proxy signs people in. */
  signIn(): Reply | null {
    return null
  }

  async personOf({ headers }: IncomingMessage): Promise<Person | Refusal> {
    const [, token] = /^Bearer ([\w.~+/=-]+)$/iu.exec(headers.authorization ?? '') ?? []
    if (token === undefined) return noToken
    try {
      return personWith(await this.claimsOf(token))
    } catch (error) {
      return refusalFor(error)
    }
  }

  /** @throws an error of `jose` if the token does not count, or if the keys cannot be read */
  private async claimsOf(token: string): Promise<JWTPayload> {
    const { authority = publicCloud, tenantId, clientId } = this.application
    const { payload } = await jwtVerify(token, this.keys, {
      // The issuers of tokens of version 2 and 1.
      issuer: [`${authority}/${tenantId}/v2.0`, `https://sts.windows.net/${tenantId}/`],
      audience: [clientId, `api://${clientId}`],
      algorithms: ['RS256'],
      requiredClaims: ['exp'],
      clockTolerance: clockToleranceSeconds,
    })
    return payload
  }
}

function personWith(claims: JWTPayload): Person | Refusal {
  const by = nameClaims
    .map((claim) => claims[claim])
    .find((name): name is string => typeof name === 'string' && name !== '')
  if (by === undefined) return { status: 401, reason: 'The token names no person and no application.' }
  const given: unknown = claims['roles']
  const roles = pageRoles.filter((role) => Array.isArray(given) && given.includes(role))
  const untilMs = (claims.exp ?? 0) * 1_000
  if (roles.length > 0) return { by, roles, untilMs }
  return { status: 403, reason: `${by} has none of the app roles ${pageRoles.join(', ')}.` }
}

const noToken: Refusal = {
  status: 401,
  reason:
    'The request has no token of Microsoft Entra ID. Open the page through the proxy that signs you in.',
}

/** Says why a token does not count. The keys may also be out of reach, which is no fault of the token. */
function refusalFor(error: unknown): Refusal {
  if (error instanceof errors.JWTExpired) {
    return { status: 401, reason: 'The token has expired. Open the page again to sign in.' }
  }
  const isUnreachable = !(error instanceof errors.JOSEError) || error instanceof errors.JWKSTimeout
  return isUnreachable || error.code === 'ERR_JOSE_GENERIC'
    ? { status: 503, reason: 'The keys of Microsoft Entra ID cannot be read. Try again in a minute.' }
    : { status: 401, reason: 'The token is not a valid token of Microsoft Entra ID for this page.' }
}

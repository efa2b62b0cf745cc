import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { provenanceOf, type Door } from './door.js'
import { platformRefusalOf, type Refusal } from './guard.js'
import { pageRoles, type PageRole, type Person } from './people.js'
import type { Reply } from './reply.js'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns whether App Service authenticates every request to this process. Only then does the platform write
 * the headers about the person, and removes those that a client sent.
 */
export function isSignInByPlatform(environment: Environment): boolean {
  const isOn = environment['WEBSITE_AUTH_ENABLED']?.toLowerCase() === 'true'
  return isOn && (environment['WEBSITE_SITE_NAME'] ?? '') !== ''
}

const principal = z.object({
  name_typ: z.string().optional(),
  role_typ: z.string().optional(),
  claims: z.array(z.object({ typ: z.string(), val: z.string() })),
})

/** The claims that name a person, the best first. */
const nameClaims = [
  'preferred_username',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
]
const roleClaims = ['roles', 'http://schemas.microsoft.com/ws/2008/06/identity/claims/role']

/** Lets in the people that App Service has authenticated, with the app roles that they have. */
export class PlatformDoor implements Door {
  /** @throws Error if the platform does not authenticate, because any client could then write the headers */
  constructor(environment: Environment) {
    if (!isSignInByPlatform(environment)) throw new Error('App Service does not authenticate requests')
  }

  refusal(request: IncomingMessage): Refusal | null {
    return platformRefusalOf(provenanceOf(request))
  }

  /** The platform signs people in. */
  signIn(): Reply | null {
    return null
  }

  personOf({ headers }: IncomingMessage): Person | Refusal {
    const header = headers['x-ms-client-principal']
    if (typeof header !== 'string') return notSignedIn
    const read = principal.safeParse(decoded(header))
    if (!read.success) return notSignedIn
    const { name_typ: nameType, role_typ: roleType, claims } = read.data
    const valueOf = (type: string | undefined): string | undefined =>
      claims.find(({ typ, val }) => typ === type && val !== '')?.val
    const by = [...nameClaims, nameType].map(valueOf).find((name) => name !== undefined)
    if (by === undefined) return notSignedIn
    const given = claims.filter(({ typ }) => typ === roleType || roleClaims.includes(typ))
    const roles = pageRoles.filter((role: PageRole) => given.some(({ val }) => val === role))
    if (roles.length > 0) return { by, roles }
    return { status: 403, reason: `${by} has none of the app roles ${pageRoles.join(', ')}.` }
  }
}

const notSignedIn: Refusal = {
  status: 401,
  reason: 'The platform has not signed you in. Open the page again, or sign in at /.auth/login/aad.',
}

function decoded(header: string): unknown {
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as unknown
  } catch {
    return null
  }
}

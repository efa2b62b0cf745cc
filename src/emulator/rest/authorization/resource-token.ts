import { isJsonObject, parsedJson, Refusal } from '../../engine/index.js'
import type { Signing } from './master-key.js'

/**
 * Returns a token that lets a client use a permission until the token expires. The token only names the
 * permission, so each change of the permission also applies to the token. The token becomes invalid when the
 * permission is deleted.
 */
export function resourceToken(permissionRid: string, seconds: number, { key, now }: Signing): string {
  const expires = Math.floor(now() / 1000) + seconds
  const grant = Buffer.from(JSON.stringify({ permission: permissionRid, expires })).toString('base64')
  return `type=resource&ver=1&sig=${key.sealOf(grant)};${grant};`
}

/** Returns the rid of the permission of a token. Refuses a token of another account, or an expired token. */
export function permissionRidOf(signature: string, { key, now }: Signing): string {
  const [seal = '', grant = ''] = signature.split(';')
  if (!key.hasSealed(grant, seal)) {
    throw new Refusal(401, 'The resource token was not made by this account. Read the permission again.')
  }
  const parsed = parsedJson(Buffer.from(grant, 'base64').toString('utf8'))
  const { permission, expires } = isJsonObject(parsed) ? parsed : {}
  if (Number(expires) * 1000 <= now()) {
    throw new Refusal(
      403,
      'The authorization token has expired. Read the permission again to get another token.',
    )
  }
  return String(permission)
}

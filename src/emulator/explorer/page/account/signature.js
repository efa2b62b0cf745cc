/**
 * The part of a request that its signature covers.
 *
 * @typedef {object} Signed
 * @property {string} method
 * @property {readonly string[]} segments the parts of the path, not percent-encoded
 * @property {string} date
 */

/**
 * Returns the `authorization` header of a request, as every client of Cosmos DB computes it.
 *
 * @param {Signed} signed
 * @param {string} key the master key in base64
 */
export async function authorizationOf(signed, key) {
  const bytes = Uint8Array.from(atob(key), (character) => character.charCodeAt(0))
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign'])
  const signature = await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(textOf(signed)))
  const base64 = btoa(String.fromCharCode(...new Uint8Array(signature)))
  return encodeURIComponent(`type=master&ver=1.0&sig=${base64}`)
}

/**
 * Returns the text to sign. A feed is signed with the link of its parent.
 *
 * @param {Signed} signed
 */
function textOf({ method, segments, date }) {
  const isFeed = segments.length % 2 === 1
  const kind = segments.at(isFeed ? -1 : -2) ?? ''
  const link = (isFeed ? segments.slice(0, -1) : segments).join('/')
  return `${method.toLowerCase()}\n${kind}\n${link}\n${date.toLowerCase()}\n\n`
}

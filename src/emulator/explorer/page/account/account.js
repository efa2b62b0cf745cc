import { authorizationOf } from './signature.js'

/** The master key that every Cosmos DB emulator has, and that its documentation names. */
export const wellKnownKey =
  'C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=='

/**
 * A request to the account.
 *
 * @typedef {object} Call
 * @property {string} [method] default GET
 * @property {readonly string[]} segments the parts of the path, not percent-encoded
 * @property {string} [search] the query of the URL, such as `?id=1`
 * @property {Readonly<Record<string, string>>} [headers]
 * @property {unknown} [body] sent as JSON
 */

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {(name: string) => string | null} header
 * @property {any} body the JSON of the answer; null if it has none
 */

/**
 * What an account needs from the page.
 *
 * @typedef {object} Surroundings
 * @property {typeof globalThis.fetch} fetch
 * @property {() => Date} now
 * @property {string} key
 * @property {(message: string) => Promise<string>} askKey asks for another key after the account refused one
 */

/** An answer with a status of 400 or above. */
export class AccountError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/** The account that serves this page. It signs every request with the key. */
export class Account {
  /** @param {Surroundings} surroundings */
  constructor(surroundings) {
    this.surroundings = surroundings
    this.key = surroundings.key
    /** @type {Promise<string> | null} the question for a key, which several requests may wait for */
    this.asked = null
  }

  /**
   * Rejects with an `AccountError` if the account refuses the request.
   *
   * @param {Call} call
   * @returns {Promise<Answer>}
   */
  async call(call) {
    const usedKey = this.key
    try {
      return await this.send(call)
    } catch (error) {
      if (!(error instanceof AccountError) || error.status !== 401) throw error
      if (this.key === usedKey) await this.newKey(error.message)
      return this.call(call)
    }
  }

  /** @param {string} message */
  async newKey(message) {
    this.asked ??= this.surroundings.askKey(message).finally(() => (this.asked = null))
    this.key = await this.asked
  }

  /**
   * @param {Call} call
   * @returns {Promise<Answer>}
   */
  async send({ method = 'GET', segments, search = '', headers = {}, body }) {
    assertAddressable(segments)
    const { fetch, now } = this.surroundings
    const date = now().toUTCString()
    const authorization = await authorizationOf({ method, segments, date }, this.key)
    const path = `/${segments.map(encodeURIComponent).join('/')}${search}`
    const response = await fetch(path, {
      method,
      headers: { ...headers, authorization, 'x-ms-date': date, 'x-stepward-explorer': 'true' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: 'no-store',
    }).catch(unreachable)
    return answerOf(response)
  }
}

/**
 * Refuses names that a browser removes from a path, because the request would go to another resource.
 *
 * @param {readonly string[]} segments
 */
function assertAddressable(segments) {
  const dots = segments.find((segment) => segment === '.' || segment === '..')
  if (dots === undefined) return
  throw new Error(`A browser cannot send a request for the name '${dots}'. Use a client of the SDK.`)
}

/**
 * @param {unknown} cause
 * @returns {never}
 */
function unreachable(cause) {
  throw new Error('The emulator does not answer. Check that it still runs, and try again.', { cause })
}

/**
 * @param {Response} response
 * @returns {Promise<Answer>}
 */
async function answerOf(response) {
  const text = await response.text()
  const body = text === '' ? null : jsonOr(text)
  if (response.status >= 400) throw new AccountError(response.status, messageIn(body))
  return { status: response.status, header: (name) => response.headers.get(name), body }
}

/** @param {string} text */
function jsonOr(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** @param {any} body */
function messageIn(body) {
  const message = String(body?.message ?? body ?? 'The account refused the request without a reason.')
  return syntaxErrorsIn(message) ?? message
}

/**
 * Returns the texts of syntax errors, which the service sends as JSON within the message. Returns null for
 * any other message.
 *
 * @param {string} message
 */
export function syntaxErrorsIn(message) {
  const parsed = jsonOr(/\{"errors":\[.*\]\}/u.exec(message)?.[0] ?? '')
  if (!Array.isArray(parsed.errors)) return null
  const texts = parsed.errors.map((/** @type {any} */ { message: text, code, location }) => {
    const place = location === undefined ? '' : `, at character ${Number(location.start) + 1}`
    return `${text} (${code}${place})`
  })
  return texts.join('\n')
}

/**
 * # Data explorer
 *
 * A page for developers at `/_explorer/`. `page/` contains the page itself: HTML, CSS and JavaScript modules,
 * which browsers get as they are written. The other files decide which requests get them.
 *
 * The page is a client like any other: it signs its requests with the account's key, and the account answers
 * none without a signature. The server of the page only sends files, and never sends the key. `docs/adr/0027`
 * gives the reasons.
 */
import type { RestRequest, RestResponse } from '../messages/rest-message.js'
import { readPageFile } from './page-files.js'
import { isReachable, type ExplorerReach } from './reach.js'

export { explorerReach, type ExplorerReach } from './reach.js'

/** The path of the page. */
export const explorerPath = '/_explorer/'

/** Answers a request for the page. Returns undefined if the path belongs to the account. */
export function answerExplorer(
  request: RestRequest,
  reach: ExplorerReach,
): Promise<RestResponse> | undefined {
  const path = request.path.split('?')[0] ?? ''
  return `${path}/`.startsWith(explorerPath) ? answered(request, path, reach) : undefined
}

async function answered(request: RestRequest, path: string, reach: ExplorerReach): Promise<RestResponse> {
  const refusal = refused(request, reach)
  if (refusal !== null) return refusal
  if (path === '/_explorer' || path === '/_explorer/index.html') return redirect()
  const file = await readPageFile(path.slice(explorerPath.length) || 'index.html')
  return file === null
    ? plain(404, `The explorer has no file ${path}. Open ${explorerPath}.`)
    : response(200, file.contentType, file.text)
}

function refused({ method, headers, origin }: RestRequest, reach: ExplorerReach): RestResponse | null {
  if (reach === 'none') {
    return plain(404, 'The data explorer is off. Start the emulator with the option explorer: true.')
  }
  if (!isReachable(reach, headers['host'] ?? '')) {
    return plain(
      403,
      `The data explorer does not open at ${headers['host'] ?? 'an unnamed host'}. ${advice[reach]}`,
    )
  }
  if (headers['origin'] !== undefined && headers['origin'] !== origin) {
    return plain(403, `The data explorer does not answer requests from pages of ${headers['origin']}.`)
  }
  if (method === 'GET' || method === 'HEAD') return null
  return plain(405, `The data explorer answers GET, not ${method}.`)
}

const advice: Readonly<Record<Exclude<ExplorerReach, 'none'>, string>> = {
  loopback: 'Open it at localhost or 127.0.0.1.',
  addresses: 'Open it at localhost, or at an IP address of this machine.',
}

function redirect(): RestResponse {
  const { headers, ...rest } = plain(302, '')
  return { ...rest, headers: { ...headers, location: explorerPath } }
}

/**
 * Limits the page to its own files and its own account. Prevents other pages from embedding or reading it.
 */
const protection: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

function plain(status: number, text: string): RestResponse {
  return response(status, 'text/plain; charset=utf-8', text)
}

function response(status: number, contentType: string, body: string): RestResponse {
  const headers = {
    ...protection,
    'content-type': contentType,
    'content-length': String(Buffer.byteLength(body)),
    // A page of another version of the package must not stay in the browser.
    'cache-control': 'no-cache',
  }
  return { status, headers, body }
}

/** The answer of a remote service that says the request can never succeed: trying again would not help. */
export class Refused extends Error {
  override readonly name = 'Refused'
}

/** How a request is made. */
interface ServiceRequest {
  readonly method: 'POST' | 'DELETE'
  readonly path: string
  readonly idempotencyKey: string
  readonly body?: unknown
  readonly signal: AbortSignal
}

/**
 * Asks a remote service once. Retrying is left to Stepward: whatever is thrown here ends the attempt, and the next one
 * carries the same idempotency key, so the service recognises it.
 *
 * @throws Refused for an answer that stays (4xx); any other Error for what may pass
 */
export async function askService<T>(url: string, request: ServiceRequest): Promise<T> {
  const { method, path, idempotencyKey, body, signal } = request
  const response = await fetch(new URL(path, url), {
    method,
    signal,
    // A header takes Latin-1 only; the key holds the order's id, which may be in any script.
    headers: { 'content-type': 'application/json', 'idempotency-key': encodeURIComponent(idempotencyKey) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.ok) return (text === '' ? null : JSON.parse(text)) as T
  const message = `${method} ${path} answered ${response.status} ${reasonIn(text)}`
  throw response.status >= 500 || response.status === 429 ? new Error(message) : new Refused(message)
}

/** The services say why in `{ code, message }`; whatever stands between us and them may say it otherwise. */
function reasonIn(body: string): string {
  try {
    const { code, message } = JSON.parse(body) as { readonly code?: string; readonly message?: string }
    return `${code ?? ''}: ${message ?? body}`
  } catch {
    return body
  }
}

/** Thrown when a remote service says that the request can never succeed, so that a retry would not help. */
export class Refused extends Error {
  override readonly name = 'Refused'
}

interface ServiceRequest {
  readonly method: 'POST' | 'DELETE'
  readonly path: string
  readonly idempotencyKey: string
  readonly body?: unknown
  readonly signal: AbortSignal
}

/**
 * Sends one request to a remote service. Stepward does the retries: an error thrown here ends the attempt.
 * The next attempt carries the same idempotency key, so the service recognises it.
 *
 * @throws Refused for a permanent answer (4xx); any other Error for a problem that may pass
 */
export async function askService<T>(url: string, request: ServiceRequest): Promise<T> {
  const { method, path, idempotencyKey, body, signal } = request
  const response = await fetch(new URL(path, url), {
    method,
    signal,
    // A header takes only Latin-1, but the key contains the order's id, which may be in any script.
    headers: { 'content-type': 'application/json', 'idempotency-key': encodeURIComponent(idempotencyKey) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.ok) return (text === '' ? null : JSON.parse(text)) as T
  const message = `${method} ${path} answered ${response.status} ${reasonIn(text)}`
  throw response.status >= 500 || response.status === 429 ? new Error(message) : new Refused(message)
}

/**
 * Returns the reason in an error body. The services send `{ code, message }`, but a proxy between may send
 * something else.
 */
function reasonIn(body: string): string {
  try {
    const { code, message } = JSON.parse(body) as { readonly code?: string; readonly message?: string }
    return `${code ?? ''}: ${message ?? body}`
  } catch {
    return body
  }
}

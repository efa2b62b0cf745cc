/** Thrown if a remote service answers that the request can never succeed, so a retry would not help. */
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
 * Sends one request to a remote service. Does not retry, because Stepward retries the step. An error ends the
 * attempt. The next attempt sends the same idempotency key, so the service recognises the request.
 *
 * @throws Refused for a 4xx answer other than 429; any other Error for a problem that may be temporary
 */
export async function askService<T>(url: string, request: ServiceRequest): Promise<T> {
  const { method, path, idempotencyKey, body, signal } = request
  const response = await fetch(new URL(path, url), {
    method,
    signal,
    // A header can contain only Latin-1, but the order's id in the key may be in any script.
    headers: { 'content-type': 'application/json', 'idempotency-key': encodeURIComponent(idempotencyKey) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.ok) return (text === '' ? null : JSON.parse(text)) as T
  const message = `${method} ${path} answered ${response.status} ${reasonIn(text)}`
  throw response.status >= 500 || response.status === 429 ? new Error(message) : new Refused(message)
}

/** Returns the reason from an error body. A proxy may send a body without `{ code, message }`. */
function reasonIn(body: string): string {
  try {
    const { code, message } = JSON.parse(body) as { readonly code?: string; readonly message?: string }
    return `${code ?? ''}: ${message ?? body}`
  } catch {
    return body
  }
}

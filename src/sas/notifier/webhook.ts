import { errorMessage } from '../../platform/internal.js'

export interface WebhookMessage {
  readonly body: unknown
  readonly idempotencyKey: string
}

/** The error for a message that a receiver did not accept. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered'
  constructor(
    message: string,
    /** The HTTP status of the response. Null if the receiver did not respond. */
    readonly status: number | null,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/**
 * Posts JSON once. The key is percent-encoded, because a header accepts only Latin-1.
 *
 * @throws NotDelivered if the receiver does not respond, or responds with a status other than 2xx
 */
export async function postJson(
  url: string,
  { body, idempotencyKey }: WebhookMessage,
  signal: AbortSignal,
): Promise<void> {
  const response = await answerTo(url, {
    method: 'POST',
    signal,
    // A message that is redirected to another address does not count as delivered.
    redirect: 'error',
    headers: { 'content-type': 'application/json', 'idempotency-key': encodeURIComponent(idempotencyKey) },
    body: JSON.stringify(body),
  })
  // The body is read to its end, so that the connection can be reused.
  await response.arrayBuffer()
  if (!response.ok) throw new NotDelivered(`${originOf(url)} answered ${response.status}`, response.status)
}

async function answerTo(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    // The message of `fetch` is only "fetch failed", and its cause has the reason.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const why = errorMessage(cause)
    throw new NotDelivered(`${originOf(url)} did not answer: ${why}`, null, { cause: error })
  }
}

/** Returns the origin of a URL. The path and the query are left out, because they may contain secrets. */
export function originOf(url: string): string {
  return new URL(url).origin
}

export function isWebhook(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)
}

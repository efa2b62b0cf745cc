import { errorMessage } from '../../platform/index.js'

/** A message as it is posted. */
export interface WebhookMessage {
  readonly body: unknown
  /** The same for every try of one message. */
  readonly idempotencyKey: string
}

/** A receiver did not accept a message. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered'
  constructor(
    message: string,
    /** The HTTP status of the answer; null when the receiver did not answer. */
    readonly status: number | null,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/**
 * Posts JSON once. A header takes Latin-1 only, so the key is percent-encoded.
 *
 * @throws NotDelivered when the receiver does not answer, or answers with a status other than 2xx
 */
export async function postJson(
  url: string,
  { body, idempotencyKey }: WebhookMessage,
  signal: AbortSignal,
): Promise<void> {
  const response = await answerTo(url, {
    method: 'POST',
    signal,
    // A message that is sent somewhere else than it was told to is not delivered.
    redirect: 'error',
    headers: { 'content-type': 'application/json', 'idempotency-key': encodeURIComponent(idempotencyKey) },
    body: JSON.stringify(body),
  })
  // Read to its end, else the connection is not used again.
  await response.arrayBuffer()
  if (!response.ok) throw new NotDelivered(`${originOf(url)} answered ${response.status}`, response.status)
}

async function answerTo(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    // The message of `fetch` is only "fetch failed"; its cause has the reason.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const why = errorMessage(cause)
    throw new NotDelivered(`${originOf(url)} did not answer: ${why}`, null, { cause: error })
  }
}

/** Where a URL leads, without what may be secret in its path or query. */
export function originOf(url: string): string {
  return new URL(url).origin
}

/** Whether this is something that can be posted to. */
export function isWebhook(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)
}

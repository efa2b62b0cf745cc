/** A message as it is posted. */
export interface WebhookMessage {
  readonly body: unknown
  /** The same for every try of one message. */
  readonly idempotencyKey: string
}

/**
 * Posts JSON once. A header takes Latin-1 only, so the key is percent-encoded.
 *
 * @throws Error when nobody answers, or the answer is anything but 2xx
 */
export async function postJson(
  url: string,
  { body, idempotencyKey }: WebhookMessage,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    signal,
    // A message that is sent somewhere else than it was told to is not delivered.
    redirect: 'error',
    headers: { 'content-type': 'application/json', 'idempotency-key': encodeURIComponent(idempotencyKey) },
    body: JSON.stringify(body),
  })
  // Read to its end, else the connection is not used again.
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${originOf(url)} answered ${response.status}`)
}

/** Where a URL leads, without what may be secret in its path or query. */
export function originOf(url: string): string {
  return new URL(url).origin
}

/** Whether this is something that can be posted to. */
export function isWebhook(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)
}

import type { AgentContext } from 'stepward'

/** Where the remote service listens: set by a sample's `run.ts`, or by whoever starts a worker. */
export const urlVariable = 'REMOTE_SERVICE_URL'

/**
 * Asks the remote service for something, once: another attempt carries the same key, and the service knows it. What it
 * refuses it will always refuse, so that ends the step for good.
 */
export async function ask<T>(
  kind: string,
  body: Readonly<Record<string, unknown>>,
  context: AgentContext,
): Promise<T> {
  const url = process.env[urlVariable]
  if (url === undefined) throw new Error(`${urlVariable} is not set: set it to the URL of the remote service`)
  const response = await fetch(`${url}/${kind}`, {
    method: 'POST',
    signal: context.signal,
    headers: {
      'content-type': 'application/json',
      'idempotency-key': encodeURIComponent(context.idempotencyKey),
    },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as T & { readonly message?: string }
  if (response.ok) return answer
  if (response.status === 409) context.failPermanently(answer.message)
  throw new Error(`${kind}: the remote service answered ${response.status}`)
}

/** Undoes what was done, or may have been done, by the step's own attempts. */
export function undo(context: AgentContext): Promise<{ readonly undone: boolean }> {
  return ask('undo', { key: context.undoes }, context)
}

import type { AgentContext } from 'stepward'

/**
 * The environment variable with the URL of the remote service. `run.ts` sets it. If you do not use `run.ts`,
 * set it yourself.
 */
export const urlVariable = 'REMOTE_SERVICE_URL'

/**
 * Sends one request to the remote service. All attempts send the same key, so the service recognises a
 * repeated request. A refusal is permanent and ends the step without retries.
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

/** Undoes all effects that the attempts of the step may have had. */
export function undo(context: AgentContext): Promise<{ readonly undone: boolean }> {
  return ask('undo', { key: context.undoes }, context)
}

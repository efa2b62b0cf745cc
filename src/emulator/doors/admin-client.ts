import { isJsonObject, parsedJson } from '../engine/index.js'
import { MasterKey } from '../rest/authorization/master-key.js'

export interface AdminCall {
  readonly endpoint: string
  readonly key: string
  /** The name of the operation, such as `split`. */
  readonly operation: string
  readonly body: Readonly<Record<string, unknown>>
  /** The wall-clock time in milliseconds since the epoch. */
  readonly now: number
}

/** Thrown when the emulator refuses an admin call. */
export class AdminRefusal extends Error {
  override readonly name = 'AdminRefusal'

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

/** Posts to `/_stepward/{operation}`. Rejects with an `AdminRefusal`, or with the error of `fetch`. */
export async function callAdmin({ endpoint, key, operation, body, now }: AdminCall): Promise<unknown> {
  const link = `_stepward/${operation}`
  const date = new Date(now).toUTCString()
  const signed = new MasterKey(key)
    .signatureOf({ method: 'post', kind: '_stepward', link, date })
    .toString('base64')
  const response = await fetch(new URL(link, endpoint), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-ms-date': date,
      authorization: encodeURIComponent(`type=master&ver=1.0&sig=${signed}`),
    },
    body: JSON.stringify(body),
  })
  const answer = await response.text()
  if (!response.ok) throw new AdminRefusal(response.status, messageIn(answer))
  return JSON.parse(answer)
}

function messageIn(answer: string): string {
  const parsed = parsedJson(answer)
  const message = isJsonObject(parsed) ? parsed['message'] : undefined
  return typeof message === 'string' ? message : answer
}

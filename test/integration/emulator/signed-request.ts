import { createHmac } from 'node:crypto'
import { signedResource } from '../../../src/emulator/rest/authorization.js'
import type { RestRequest } from '../../../src/emulator/messages/rest-message.js'

/** A request as a test writes it down. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The verb the signature is made for; default the method itself. */
  readonly signedAs?: string
  /** When it is signed; default now. */
  readonly date?: string
}

/** The request with a valid signature, as a client that knows the key would send it whatever else is wrong with it. */
export function signed(
  { method, path, headers = {}, body = '', signedAs = method, date = new Date().toUTCString() }: Asked,
  key: string,
): RestRequest {
  const segments = (path.split('?')[0] ?? '').split('/').filter((segment) => segment !== '')
  const { kinds, links } = signedResource(segments, segments)
  const text = `${signedAs.toLowerCase()}\n${kinds[0] ?? ''}\n${links[0] ?? ''}\n${date.toLowerCase()}\n\n`
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64')
  const authorization = encodeURIComponent(`type=master&ver=1.0&sig=${signature}`)
  return {
    method,
    path,
    body,
    headers: { authorization, 'x-ms-date': date, ...headers },
    origin: 'http://127.0.0.1:8081',
  }
}

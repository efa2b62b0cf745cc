import { createHmac } from 'node:crypto'
import { signedResource } from '../../../src/emulator/rest/authorization/signed-resource.js'
import type { RestRequest } from '../../../src/emulator/messages/rest-message.js'

/** A request in the form of a test. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The verb of the signature. Default: the method itself. */
  readonly signedAs?: string
  /** The time of the signature. Default: now. */
  readonly date?: string
}

/** Returns the request with a valid signature, even if everything else about it is wrong. */
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

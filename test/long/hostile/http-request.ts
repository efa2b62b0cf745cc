import { signed, type Asked } from '../../integration/emulator/signed-request.js'
import type { Sending } from './socket.js'

/** A hostile request, before its seed and number are known. */
export interface HostileRequest extends Sending {
  readonly kind: string
  /** Whether the server must send exactly one answer. */
  readonly mustAnswer: boolean
  readonly isHead: boolean
  /** Whether no other request runs meanwhile, because this request may take long or disturb others. */
  readonly isAlone: boolean
  /** A request that removes effects on later requests. */
  readonly undo?: Asked
}

/** Options of {@link asHttp}. */
interface Form {
  readonly key: string
  readonly isSigned?: boolean
}

/** Returns a request as bytes. Its connection ends after the answer. */
export function asHttp(asked: Asked, { key, isSigned = true }: Form): Buffer {
  const { method, path, headers, body } = signed(asked, key)
  const { authorization = '', ...others } = headers
  const all = {
    host: '127.0.0.1',
    connection: 'close',
    'x-ms-version': '2020-07-15',
    ...(isSigned || asked.headers?.['authorization'] !== undefined ? { authorization } : {}),
    ...others,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${oneLine(value)}`)
  const content = Buffer.from(body)
  const hasLength = content.length > 0 || method !== 'GET'
  if (hasLength) lines.push(`content-length: ${content.length}`)
  const head = [`${method} ${oneLine(path)} HTTP/1.1`, ...lines, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head), content])
}

/** Replaces the characters that would end a line and so begin another header or request. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]/gu, ' ')
}

/** Returns a request that must be answered. */
export function wellFormed(kind: string, asked: Asked, form: Form): HostileRequest {
  return {
    kind,
    parts: [asHttp(asked, form)],
    ending: 'waits',
    mustAnswer: true,
    isHead: asked.method === 'HEAD',
    isAlone: false,
  }
}

import type { Asked } from '../../integration/emulator/signed-request.js'
import type { Draw } from './draw.js'
import { asHttp, type HostileRequest } from './http-request.js'
import type { Ending } from './socket.js'
import { strangeText } from './strange.js'

const host = 'host: 127.0.0.1\r\n'
const item: Asked = {
  method: 'POST',
  path: '/dbs/shop/colls/items/docs',
  headers: { 'x-ms-documentdb-partitionkey': '["k1"]', 'x-ms-documentdb-is-upsert': 'true' },
  body: JSON.stringify({ id: 'd1', pk: 'k1', s: 'ä'.repeat(200) }),
}

type Make = (draw: Draw, key: string) => readonly string[] | readonly Buffer[]

/** Makes the parts of a request that is not HTTP, or that ends too early. */
const kinds: Readonly<Record<string, Make>> = {
  'random bytes': (draw) => [Buffer.from(Array.from({ length: draw.below(600) }, () => draw.below(256)))],
  'request line': (draw) => [
    `${draw.pick(['GET', 'get', 'PRI', 'CONNECT', '', 'G\u0000T', strangeText(draw)])} ` +
      `${draw.pick(['/', '*', 'http://x:99999/dbs', '//', '/\u0000', 'dbs', strangeText(draw)])} ` +
      `${draw.pick(['HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/9.9', 'XTTP/1.1', ''])}\r\n` +
      `${draw.chance(0.8) ? host : ''}\r\n`,
  ],
  'many headers': (draw) => [`GET /dbs HTTP/1.1\r\n${host}${'x-a: b\r\n'.repeat(draw.below(6_000))}\r\n`],
  'long header': (draw) => [`GET /dbs HTTP/1.1\r\n${host}x-a: ${'x'.repeat(draw.below(300_000))}\r\n\r\n`],
  'broken header': (draw) => [
    `GET /dbs HTTP/1.1\r\n${host}${strangeText(draw)}${draw.pick([':', ' : ', '\r\n ', '\n', ''])}` +
      `${strangeText(draw)}\r\n\r\n`,
  ],
  'content-length': (draw) => [
    `POST /dbs HTTP/1.1\r\n${host}content-length: ` +
      draw.pick([
        '-1',
        'x',
        '1e3',
        '99999999999999999999',
        '0x10',
        '5, 5',
        '5\r\ncontent-length: 6',
        '+5',
        '',
      ]) +
      '\r\n\r\n{"id":"a"}',
  ],
  chunked: (draw) => [
    `POST /dbs HTTP/1.1\r\n${host}transfer-encoding: ` +
      `${draw.pick(['chunked', 'gzip, chunked', 'chunked, chunked', 'identity', 'CHUNKED', 'x'])}\r\n` +
      `${draw.pick(['', 'content-length: 3\r\n', 'trailer: x\r\n', 'te: trailers\r\n'])}\r\n` +
      draw.pick([
        '0\r\n\r\n',
        'zz\r\nabc\r\n0\r\n\r\n',
        '-1\r\nabc\r\n',
        'ffffffffffffffff\r\nabc\r\n',
        '3;x=y\r\nabc\r\n0\r\nx: y\r\n\r\n',
        '3\r\nabcdef\r\n0\r\n\r\n',
        '3\r\nab',
        `3;${'x'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`,
        '1\r\n{\r\n'.repeat(3_000),
      ]),
  ],
  truncated: (draw, key) => {
    const whole = asHttp(item, { key })
    return [whole.subarray(0, draw.below(whole.length))]
  },
  slow: (draw, key) => {
    const whole = asHttp(item, { key })
    const at = draw.below(whole.length)
    return [whole.subarray(0, at), whole.subarray(at, at + draw.below(100)), whole.subarray(at + 100)]
  },
  pipelined: (draw, key) => {
    const one = asHttp(item, { key }).toString('latin1').replace('connection: close\r\n', '')
    const many = one.repeat(1 + draw.below(20))
    return [Buffer.from(many.slice(0, many.length - draw.below(100)), 'latin1')]
  },
  smuggled: (draw, key) => {
    const whole = asHttp(item, { key }).toString('latin1')
    const rest = draw.pick(['GET / HTTP/1.1\r\n\r\n', '\r\n\r\n', '\u0000', 'x'.repeat(5_000)])
    return [Buffer.from(whole + rest, 'latin1')]
  },
}

const names = Object.keys(kinds)

/** Returns a request that is not correct HTTP, or whose client disconnects early. */
export function malformed(draw: Draw, key: string): HostileRequest {
  const name = draw.pickOr(names, '')
  const parts = (kinds[name]?.(draw, key) ?? []).map((part) =>
    typeof part === 'string' ? Buffer.from(part) : part,
  )
  const ending: Ending = draw.chance(0.2) ? 'cuts' : 'half-closes'
  return { kind: `HTTP: ${name}`, parts, ending, mustAnswer: false, isHead: false, isAlone: false }
}

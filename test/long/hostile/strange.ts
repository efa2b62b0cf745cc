import type { Draw } from './draw.js'

/** Texts that break assumptions, for names, headers and parts of paths. */
const fixedTexts: readonly [string, ...string[]] = [
  '',
  ' ',
  '*',
  '""',
  '"',
  '0',
  '-1',
  '-0',
  '1e999',
  'NaN',
  '9007199254740993',
  '99999999999999999999999999',
  '0x10',
  'true',
  'TRUE',
  'null',
  'undefined',
  '[]',
  '{}',
  '[[]]',
  '[{}]',
  '[null]',
  '["k1"',
  '["k1","k1"]',
  '["x",1]',
  '["\\ud800"]',
  '[1e999]',
  '{"__proto__":1}',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '../..',
  '..%2f..%2fetc%2fpasswd',
  '%00',
  '%',
  '%zz',
  '%ff%fe',
  '%ed%a0%80',
  'd1%20',
  'ä😀',
  '\u0000',
  '\u0007\u001b[2J',
  'a,b;c=d',
  '0:-1#1,1:-1#99999999999',
  '0:0#1#2=3',
  ',,,:::###',
  '"50"',
  'W/"50"',
  '00',
  'FF',
  'zz',
  '05C1DFFFFFFFFC',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'Sat, 32 Foo 99999 25:61:61 GMT',
  '(a+)+$',
  "'; DROP TABLE c; --",
  'Aggregate, Distinct, OrderBy, NonValueAggregate, HybridSearch, Nothing',
  'Incremental Feed',
  'Full-Fidelity Feed',
  'application/query+json',
  'type%3Dmaster%26ver%3D1.0%26sig%3D',
]

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

/** Returns a strange text, sometimes a long one. */
export function strangeText(draw: Draw): string {
  switch (draw.below(30)) {
    case 0:
      return draw.pick(['x', '%41', 'é', '[', '"', '0', ',']).repeat(draw.below(8_000))
    case 1:
      return nested(draw.below(3_000))
    case 2:
      return String((draw.below(2 ** 30) - 2 ** 29) * draw.pick([1, 0.001, 1e6, 1e300]))
    case 3:
      return String.fromCodePoint(...Array.from({ length: draw.below(20) }, () => draw.below(0xd000)))
    default:
      return draw.pick(fixedTexts)
  }
}

/** Changes a few characters of a text, or cuts it. The result is almost what the account wrote. */
export function nearText(draw: Draw, text: string): string {
  const at = draw.below(text.length + 1)
  switch (draw.below(5)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(0, at) + String.fromCodePoint(33 + draw.below(90)) + text.slice(at + 1)
    case 2:
      return text + text.slice(at)
    case 3:
      return text.replace(/\d+/u, () => String(draw.below(2 ** 31) - 10))
    default:
      return text
  }
}

/** Values in JSON, and texts that are almost JSON. */
const fixedJson: readonly [string, ...string[]] = [
  '1e999',
  '-0',
  '1e-400',
  '9007199254740993',
  '-1',
  '2147483648',
  '1.5',
  'NaN',
  'Infinity',
  '-',
  '01',
  'null',
  'true',
  'false',
  '""',
  '" "',
  '"\\ud800"',
  '"\\u0000"',
  '"__proto__"',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"id":"a","id":7}',
  '{"toString":1,"length":-1,"toJSON":"x"}',
  '[]',
  '[null]',
  '{}',
  '{"":""}',
  '"a/b?c#d"',
  '"/a/b/~0~1/-"',
  '"//"',
  '"/*"',
  '"/[]/?"',
  '"/\\"a\\"/b"',
  '"/id"',
  '"/_etag"',
  '"/__proto__/x"',
  '"/l/99999999"',
  '"/l/-1"',
  '"ä😀"',
  '"2020-13-45T99:99:99Z"',
  '"SELECT VALUE c FROM c"',
  '"from c where c.n = c.n and"',
  '{"type":"Polygon","coordinates":[[]]}',
  '{"type":"Point","coordinates":[1e308,1e308]}',
  '"dbs/shop/colls/items/docs/d1"',
  '"Create"',
  '"increment"',
]

/** Returns a strange value as JSON, sometimes a deep or a long one. */
export function strangeJson(draw: Draw): string {
  switch (draw.below(25)) {
    case 0:
      return nested(draw.pick([100, 127, 128, 129, 1_000, 50_000]))
    case 1: {
      const depth = draw.pick([100, 128, 1_000, 20_000])
      return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    }
    case 2:
      return JSON.stringify(draw.pick(['x', '/a', 'é', ' ', '"']).repeat(draw.below(30_000)))
    case 3:
      return `[${Array.from({ length: draw.below(2_000) }, (_, at) => at).join(',')}]`
    case 4:
      return JSON.stringify(strangeText(draw))
    default:
      return draw.pick(fixedJson)
  }
}

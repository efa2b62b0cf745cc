import { header } from '../../../src/emulator/messages/rest-message.js'
import type { Asked } from '../../integration/emulator/signed-request.js'
import type { Draw } from './draw.js'
import type { Material } from './fill.js'
import { nearText, strangeJson, strangeText } from './strange.js'
import { validRequests } from './valid-requests.js'

const validMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'SEARCH'] as const

/** All headers that change an answer. */
const headerNames: readonly [string, ...string[]] = [
  'authorization',
  ...Object.values(header),
  'a-im',
  'accept',
  'content-type',
  'date',
  'expect',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'origin',
  'prefer',
  'upgrade',
  'x-ms-consistency-level',
  'x-ms-cosmos-migrate-offer-to-autopilot',
  'x-ms-date',
  'x-ms-documentdb-pre-trigger-include',
  'x-ms-indexing-directive',
]

/** Returns a correct request in which only the verb, the path or the headers are changed. */
export function alteredRequest(draw: Draw, material: Material): Asked {
  let asked = draw.pick(validRequests)
  const times = 1 + draw.below(3) * draw.below(2)
  for (let time = 0; time < times; time += 1) {
    const change = draw.below(10)
    if (change < 1) asked = withMethod(asked, draw)
    else if (change < 4) asked = { ...asked, path: alteredPath(asked.path, draw, material) }
    else asked = withHeader(asked, draw, material)
  }
  return asked
}

/** Deletes of containers and databases are rare: later requests of the batch would find nothing. */
function withMethod(asked: Asked, draw: Draw): Asked {
  const method = draw.pick(validMethods)
  const isDrop = method === 'DELETE' && asked.path.split('/').length <= 5
  return { ...asked, method: isDrop && draw.chance(0.98) ? 'GET' : method }
}

function alteredPath(path: string, draw: Draw, { rids }: Material): string {
  const parts = path.split('/').slice(1)
  const at = draw.below(parts.length + 1)
  const [before, after] = [parts.slice(0, at), parts.slice(at + 1)]
  const part = parts[at] ?? ''
  const changes: readonly [readonly string[], ...(readonly string[])[]] = [
    [...before, encodedOrRaw(strangeText(draw), draw), ...after],
    [...before, ...after],
    [...before, part, part, ...after],
    [...before, part, '', ...after],
    [...before, part.toUpperCase(), ...after],
    [...before, nearText(draw, part), ...after],
    [...before, draw.pickOr(rids, part), ...after],
    [...before, Buffer.from(part).toString('hex').replace(/../gu, '%$&'), ...after],
    [...before, draw.pick(['sprocs', 'udfs', 'docs', 'colls', 'pkranges', 'conflicts', 'users']), ...after],
    [...parts, `?${strangeText(draw)}`],
  ]
  return `/${draw.pick(changes).join('/')}`
}

function encodedOrRaw(text: string, draw: Draw): string {
  return draw.chance(0.5) ? encodeURIComponent(text) : text
}

function withHeader(asked: Asked, draw: Draw, material: Material): Asked {
  const given = Object.keys(asked.headers ?? {})
  const name = draw.chance(0.3) ? draw.pickOr(given, header.continuation) : draw.pick(headerNames)
  const value = draw.chance(0.5) ? strangeText(draw) : almostRight(name, draw, material)
  const { [name]: _, ...others } = asked.headers ?? {}
  return { ...asked, headers: draw.chance(0.05) ? others : { ...others, [name]: value } }
}

function almostRight(name: string, draw: Draw, material: Material): string {
  const known: Readonly<Record<string, readonly string[]>> = {
    authorization: material.tokens.map(encodeURIComponent),
    [header.continuation]: material.continuations,
    [header.sessionToken]: material.sessions,
    [header.containerRid]: material.rids,
    'if-match': material.etags,
    'if-none-match': material.etags,
    [header.rangeId]: ['0', '1', '2', '3', 'M'],
    [header.maxItemCount]: ['-1', '0', '1', '1000', '2147483647'],
    [header.partitionKey]: ['["k1"]', '[{}]', '[]', '["x"]', '["x",1,null]'],
  }
  const text = draw.pickOr(known[name] ?? ['true', 'false', '1', '400', '1000000'], '')
  return draw.chance(0.5) ? text : nearText(draw, text)
}

/** A token of JSON: a string, a number, a name, spaces, or one other character. */
const token = /"(?:[^"\\]|\\.)*"|-?[\d.]+(?:[eE][+-]?\d+)?|[a-z]+|\s+|[^]/gu

/** Returns a correct request in which up to three places of the body are changed. */
export function alteredBody(draw: Draw): Asked {
  const withBody = validRequests.filter(({ body }) => body !== undefined)
  const asked = draw.pickOr(withBody, validRequests[0])
  let tokens: readonly string[] = (asked.body ?? '').match(token) ?? []
  const times = 1 + draw.below(3) * draw.below(2)
  for (let time = 0; time < times; time += 1) tokens = withToken(tokens, draw)
  return { ...asked, body: draw.chance(0.02) ? strangeJson(draw) : tokens.join('') }
}

function withToken(tokens: readonly string[], draw: Draw): readonly string[] {
  const values = tokens.flatMap((text, at) => (isValue(tokens, at) ? [{ text, at }] : []))
  const isOfValue = draw.chance(0.8)
  const at = isOfValue ? draw.pickOr(values, { at: 0, text: '' }).at : draw.below(tokens.length)
  const other = draw.pickOr(values, { at: 0, text: 'null' }).text
  const changes: readonly [readonly string[], ...(readonly string[])[]] = isOfValue
    ? [[strangeJson(draw)], [strangeJson(draw)], [strangeJson(draw)], [other], [`[${other}]`]]
    : [[], [strangeJson(draw)], [tokens[at] ?? '', tokens[at] ?? ''], [other], [strangeText(draw)]]
  return [...tokens.slice(0, at), ...draw.pick(changes), ...tokens.slice(at + 1)]
}

function isValue(tokens: readonly string[], at: number): boolean {
  return /^["\-\da-z]/u.test(tokens[at] ?? '') && tokens[at + 1] !== ':'
}

import { header } from '../../../src/emulator/messages/rest-message.js'
import { mutated } from '../../conformance/query/mutations.js'
import { validQueries } from '../../conformance/query/valid-queries.js'
import type { Asked } from '../../integration/emulator/signed-request.js'
import type { Draw } from './draw.js'

const longest = 256 * 1024

/** Repeats a text so often that a query with it is about as long as the service accepts. */
const filling = (part: string): string => part.repeat(Math.floor((longest - 200) / part.length))
const numbers = (count: number): string => Array.from({ length: count }, (_, at) => at).join(',')

const polygon = (corners: number): string => {
  const at = Array.from({ length: corners }, (_, corner) => (corner / corners) * 2 * Math.PI)
  const points = [...at, 0].map(
    (angle) => `[${(9 * Math.cos(angle)).toFixed(6)},${(9 * Math.sin(angle)).toFixed(6)}]`,
  )
  return `{'type':'Polygon','coordinates':[[${points.join(',')}]]}`
}

/** Queries over arrays of 5,000 elements. */
const overLists: readonly [string, ...string[]] = [
  'SELECT VALUE COUNT(1) FROM c JOIN a IN c.l JOIN b IN c.l',
  'SELECT VALUE COUNT(1) FROM c JOIN a IN c.l JOIN b IN c.l WHERE a = b',
  'SELECT a, b FROM c JOIN a IN c.l JOIN b IN c.m JOIN d IN c.l WHERE a + b.k = -1',
  'SELECT VALUE a FROM c JOIN a IN c.l JOIN b IN c.l WHERE a > b ORDER BY a',
  'SELECT DISTINCT VALUE [a, b] FROM c JOIN a IN c.l JOIN b IN c.l',
  'SELECT a, COUNT(1) AS n FROM c JOIN a IN c.l JOIN b IN c.l GROUP BY a',
  'SELECT VALUE b.s FROM c JOIN b IN c.m JOIN a IN c.l WHERE CONTAINS(b.s, ToString(a), true)',
  'SELECT VALUE b.s FROM c JOIN b IN c.m JOIN a IN c.l WHERE b.s LIKE "%e%1%2%"',
  'SELECT VALUE b.s FROM c JOIN b IN c.m JOIN a IN c.l WHERE RegexMatch(b.s, "(n|a)+me.*9$")',
  'SELECT c.id FROM c ORDER BY c.l',
  'SELECT c.m, COUNT(1) AS n FROM c GROUP BY c.m',
  'SELECT DISTINCT c.m, c.l, c.d FROM c',
  'SELECT VALUE MAKESET(m) FROM c JOIN m IN c.m JOIN a IN c.l',
  'SELECT VALUE MAKELIST(c.m) FROM c JOIN a IN c.l',
  'SELECT VALUE (SELECT VALUE COUNT(1) FROM b IN c.m WHERE EXISTS(SELECT 1 FROM a IN c.l WHERE a = b.k)) FROM c',
  'SELECT VALUE ARRAY(SELECT VALUE ARRAY(SELECT VALUE a * b.k FROM a IN c.l) FROM b IN c.m) FROM c',
  'SELECT VALUE ALL(SELECT VALUE ARRAY_CONTAINS(c.l, b.k) FROM b IN c.m JOIN d IN c.l) FROM c',
  'SELECT VALUE ARRAY_CONTAINS(c.m, b, true) FROM c JOIN b IN c.m',
  'SELECT VALUE SetUnion(c.m, ARRAY_CONCAT(c.m, [b])) FROM c JOIN b IN c.m',
  'SELECT VALUE SetIntersect(c.m, c.m) FROM c JOIN b IN c.l',
  'SELECT VALUE ARRAY_LENGTH(ARRAY_CONCAT(c.m, c.m, c.m, c.m, c.m)) FROM c JOIN b IN c.l',
  'SELECT VALUE ToString(c.m) FROM c JOIN b IN c.l',
  'SELECT VALUE ARRAY_MEDIAN(c.l) FROM c JOIN b IN c.l',
  'SELECT VALUE CHOOSE(1, ObjectToArray(c), 1) FROM c JOIN b IN c.l',
  'SELECT VALUE c.m = b FROM c JOIN b IN (SELECT VALUE c.m FROM x IN c.l)',
  'SELECT VALUE x FROM x IN (SELECT VALUE [c.m, y] FROM y IN c.l) ORDER BY x',
  'SELECT VALUE d FROM c JOIN e IN c.d JOIN f IN c.d JOIN d IN e WHERE d IN (1, 2)',
  'SELECT VALUE ST_DISTANCE(c.g, {"type":"Point","coordinates":[b.k, b.k]}) FROM c JOIN b IN c.m',
  'SELECT VALUE ST_WITHIN({"type":"Point","coordinates":[b.k, 1]}, c.g) FROM c JOIN b IN c.m JOIN a IN c.l',
  'SELECT VALUE ST_INTERSECTS(c.g, c.g) FROM c JOIN a IN c.l',
  'SELECT VALUE ST_AREA(c.g) FROM c JOIN a IN c.l JOIN b IN c.l',
  `SELECT VALUE ST_INTERSECTS(c.g, ${polygon(4_000)}) FROM c`,
  `SELECT VALUE ST_ISVALIDDETAILED(${polygon(4_000)}) FROM c JOIN a IN c.l`,
  'SELECT VALUE VectorDistance(c.l, c.l) FROM c JOIN a IN c.l',
  'SELECT TOP 10 c.id FROM c ORDER BY VectorDistance(c.l, [1, 2, 3])',
]

/** Queries over texts of 1.5 MB. */
const overTexts: readonly [string, ...string[]] = [
  'SELECT VALUE COUNT(1) FROM c JOIN n IN (SELECT VALUE [1,2,3,4,5,6,7,8,9]) WHERE CONTAINS(c.s, CONCAT("x", ToString(n)), true)',
  'SELECT VALUE c.id FROM c WHERE c.s LIKE "%a%b%c%d%e%_%_%z"',
  'SELECT VALUE c.id FROM c WHERE c.s LIKE "%_%_%_%_%_%_%_%!"',
  `SELECT VALUE c.id FROM c WHERE c.s LIKE "${'%a'.repeat(20_000)}b"`,
  'SELECT VALUE RegexMatch(c.s, "(a+)+$", "i") FROM c',
  'SELECT VALUE RegexMatch(c.s, "(a|aa)*b") FROM c JOIN n IN (SELECT VALUE [1,2,3,4,5,6,7,8,9])',
  'SELECT VALUE RegexMatch(c.s, "(.*)(.*)(.*)(.*)[0-9]{5}x") FROM c',
  'SELECT VALUE RegexMatch(c.s, "((a{1,30}){1,30}){1,30}") FROM c',
  'SELECT VALUE REPLACE(c.s, "a", c.s) FROM c',
  'SELECT VALUE REPLICATE(c.s, 10000) FROM c',
  'SELECT VALUE LENGTH(REPLACE(c.s, "a", "bbbb")) FROM c JOIN n IN (SELECT VALUE [1,2,3,4,5,6,7,8,9])',
  'SELECT VALUE ARRAY_LENGTH(STRINGSPLIT(c.s, "")) FROM c',
  'SELECT VALUE STRINGJOIN(STRINGSPLIT(c.s, "a"), c.s) FROM c',
  'SELECT VALUE INDEX_OF(c.s, CONCAT(LEFT(c.s, 700000), "b")) FROM c',
  'SELECT VALUE UPPER(REVERSE(LOWER(c.s))) = c.s FROM c JOIN n IN (SELECT VALUE [1,2,3,4,5,6,7,8,9])',
  'SELECT c.id FROM c ORDER BY c.s',
  'SELECT c.s, COUNT(1) AS n FROM c GROUP BY c.s',
  'SELECT DISTINCT VALUE CONCAT(c.s, ToString(n)) FROM c JOIN n IN (SELECT VALUE [1,2,3,4,5,6,7,8,9])',
  'SELECT VALUE c.id FROM c WHERE FullTextContains(c.s, "bicycle mountain")',
  'SELECT VALUE c.id FROM c WHERE FullTextContainsAll(c.s, {term: "bycycle", distance: 2}, {term: "montain", distance: 2})',
  'SELECT TOP 5 c.id FROM c ORDER BY RANK FullTextScore(c.s, "red", "bicycle", "aab")',
  'SELECT TOP 5 c.id FROM c ORDER BY RANK RRF(FullTextScore(c.s, "red"), FullTextScore(c.s, "the"))',
  'SELECT VALUE StringToObject(c.s) FROM c',
  'SELECT VALUE TRIM(c.s, "a") FROM c JOIN n IN (SELECT VALUE [1,2,3,4,5,6,7,8,9])',
]

/** Queries over many small documents, and queries that are as long as possible. */
const overItems: readonly [string, ...string[]] = [
  `SELECT VALUE c.id FROM c WHERE c.n IN (${numbers(40_000)})`,
  `SELECT VALUE c.id FROM c WHERE c.n NOT IN (${numbers(40_000)})`,
  `SELECT VALUE ${filling('1+')}1 FROM c`,
  `SELECT VALUE c.id FROM c WHERE ${filling('c.n=1 OR ')}true`,
  `SELECT VALUE c.id FROM c WHERE ${filling('c.n=1 AND ')}true`,
  `SELECT VALUE ${'('.repeat(90)}c.n${')'.repeat(90)} FROM c`,
  `SELECT VALUE [${filling('c.n,')}1] FROM c`,
  `SELECT VALUE CONCAT(${filling('c.s,')}"") FROM c`,
  `SELECT VALUE "${filling('x')}" FROM c`,
  `SELECT VALUE c${filling('.a')} FROM c`,
  `SELECT VALUE {${Array.from({ length: 15_000 }, (_, at) => `"p${at}":c.n`).join(',')}} FROM c`,
  `SELECT VALUE c.id FROM c WHERE ARRAY_CONTAINS([${numbers(40_000)}], c.n)`,
  `SELECT VALUE c.id FROM c WHERE ST_WITHIN(c.g, ${polygon(8_000)})`,
  `SELECT VALUE CHOOSE(2, ${filling('c.n,')}1) FROM c`,
  `SELECT ${Array.from({ length: 12_000 }, (_, at) => `c.n AS a${at}`).join(',')} FROM c`,
  `SELECT VALUE 1 FROM c ORDER BY ${Array.from({ length: 8_000 }, (_, at) => `c.a${at}`).join(',')}`,
  `SELECT COUNT(1) FROM c GROUP BY ${Array.from({ length: 8_000 }, (_, at) => `c.a${at}`).join(',')}`,
  `SELECT VALUE x FROM c ${Array.from({ length: 10 }, (_, at) => `JOIN x${at} IN c.l`).join(' ')} JOIN x IN c.l`,
  `SELECT VALUE 1 FROM c ${Array.from({ length: 9 }, (_, at) => `JOIN x${at} IN c.l`).join(' ')} ORDER BY x1`,
  `SELECT VALUE ${'(SELECT VALUE '.repeat(60)}1${')'.repeat(60)} FROM c`,
  `SELECT VALUE ${'ARRAY(SELECT VALUE '.repeat(6)}1${' FROM x IN c.l)'.repeat(6)} FROM c`,
  'SELECT VALUE (SELECT VALUE COUNT(1) FROM a IN c.l JOIN b IN c.m JOIN d IN c.l JOIN e IN c.m) FROM c',
  'SELECT c.n, MAKELIST(c) AS all FROM c GROUP BY c.n',
  'SELECT DISTINCT c FROM c ORDER BY c.n',
  'SELECT VALUE RegexMatch(c.s, c.t) FROM c',
  'SELECT TOP 2147483647 * FROM c ORDER BY c.n DESC, c.s ASC',
  'SELECT * FROM c ORDER BY c.n ASC, c.s DESC OFFSET 2147483646 LIMIT 2147483647',
  'SELECT VALUE REPLICATE(c.s, 10000) FROM c',
  'SELECT VALUE NUMBERBIN(c.n, 1e-300) + POWER(c.n, 1e300) + EXP(c.n) FROM c',
  'SELECT VALUE DateTimeAdd("ms", 9e15, c.t) || DateTimeBin(c.t, "yy", 1e9) FROM c',
]

const byContainer: Readonly<Record<string, readonly [string, ...string[]]>> = {
  lists: overLists,
  texts: overTexts,
  items: overItems,
}

/** Returns a query that may compute for long. */
export function expensiveQuery(draw: Draw): Asked {
  const container = draw.pickOr(Object.keys(byContainer), 'items')
  return asked(draw.pick(byContainer[container] ?? overItems), container, draw)
}

/** Returns a query whose tokens are changed. Most are refused; some compute with small documents. */
export function mutatedQuery(draw: Draw): Asked {
  const text = mutated((limit) => draw.below(limit), validQueries)
  return asked(text, draw.pick(['items', 'search', 'strict']), draw)
}

function asked(query: string, container: string, draw: Draw): Asked {
  const parameters = [
    { name: '@one', value: 1 },
    { name: '@word', value: 'bicycle' },
  ]
  const scope = draw.chance(0.5)
    ? { [header.partitionKey]: container === 'items' ? '["k1"]' : '["k0"]' }
    : { [header.rangeId]: String(draw.below(3)), [header.enableCrossPartition]: 'true' }
  return {
    method: 'POST',
    path: `/dbs/shop/colls/${container}/docs`,
    headers: {
      ...scope,
      'content-type': 'application/query+json',
      [header.isQuery]: 'true',
      [header.maxItemCount]: draw.pick(['-1', '1', '100']),
      ...(draw.chance(0.1) ? { [header.populateIndexMetrics]: 'true' } : {}),
      ...(draw.chance(0.1)
        ? { [header.isQueryPlan]: 'true', [header.supportedQueryFeatures]: 'OrderBy' }
        : {}),
      ...(draw.chance(0.2) ? { [header.explorer]: 'true' } : {}),
    },
    body: JSON.stringify({ query, parameters }),
  }
}

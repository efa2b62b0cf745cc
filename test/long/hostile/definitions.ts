const included = [{ path: '/*' }]
const excluded = [{ path: '/"_etag"/?' }]
const key = { paths: ['/pk'], kind: 'Hash', version: 2 }

/** The definitions of the containers. Together they have every policy that the emulator knows. */
export const definitions = [
  {
    id: 'items',
    partitionKey: key,
    indexingPolicy: {
      includedPaths: included,
      excludedPaths: excluded,
      compositeIndexes: [
        [
          { path: '/n', order: 'ascending' },
          { path: '/s', order: 'descending' },
        ],
      ],
      spatialIndexes: [{ path: '/g/*', types: ['Point', 'Polygon', 'MultiPolygon', 'LineString'] }],
    },
    computedProperties: [{ name: 'lower', query: 'SELECT VALUE LOWER(c.s) FROM c' }],
  },
  { id: 'tree', partitionKey: { paths: ['/a', '/b', '/c'], kind: 'MultiHash', version: 2 } },
  {
    id: 'strict',
    partitionKey: key,
    defaultTtl: 1_000,
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/u'] }, { paths: ['/n', '/s'] }] },
  },
  {
    id: 'search',
    partitionKey: key,
    indexingPolicy: {
      includedPaths: included,
      excludedPaths: [...excluded, { path: '/v/*' }],
      fullTextIndexes: [{ path: '/s' }],
      vectorIndexes: [{ path: '/v', type: 'flat' }],
    },
    vectorEmbeddingPolicy: {
      vectorEmbeddings: [{ path: '/v', dataType: 'float32', dimensions: 3, distanceFunction: 'cosine' }],
    },
    fullTextPolicy: { defaultLanguage: 'en-US', fullTextPaths: [{ path: '/s', language: 'en-US' }] },
  },
  { id: 'lists', partitionKey: key },
  {
    id: 'texts',
    partitionKey: key,
    indexingPolicy: { includedPaths: included, excludedPaths: excluded, fullTextIndexes: [{ path: '/s' }] },
    fullTextPolicy: { defaultLanguage: 'en-US', fullTextPaths: [{ path: '/s', language: 'en-US' }] },
  },
] as const

/** The small documents are enough for indexes to be used. Each partition key has as many as a batch takes. */
const keys = 12
const documentsPerKey = 100

const words = ['red', 'bicycle', 'mountain', 'the', 'bicycles', 'aab', 'ünï', '', '😀'] as const

function small(number: number): object {
  return {
    id: `d${number}`,
    pk: `k${number % keys}`,
    n: number % 7 === 0 ? null : number / 4,
    s: `${words[number % words.length] ?? ''} ${words[(number * 5) % words.length] ?? ''} ${number % 50}`,
    l: [number, 1, 'x', null],
    m: [{ k: number % 5 }, { k: 'x' }],
    t: new Date(1.6e12 + number * 1e7).toISOString(),
    v: [number % 3, 1, -number],
    g: { type: 'Point', coordinates: [number % 180, number % 90] },
  }
}

const many = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at))

const ring = (count: number): readonly (readonly number[])[] =>
  [...many(count, (at) => at), 0].map((at) => [
    20 * Math.cos((at / count) * 2 * Math.PI),
    20 * Math.sin((at / count) * 2 * Math.PI),
  ])

/** Arrays of 5,000 elements, flat and nested, and geometries with 1,000 corners. */
function long(number: number): object {
  return {
    id: `d${number}`,
    pk: 'k0',
    n: number,
    l: many(5_000, (at) => (at * 7_919) % 5_003),
    m: many(5_000, (at) => ({ k: at % 100, s: `name ${at}`, l: [at, at + 1] })),
    d: many(70, () => many(70, (at) => at)),
    g: { type: 'Polygon', coordinates: [ring(1_000)] },
  }
}

/** Repeats a sentence to 1.5 MB of JSON. */
const text = (sentence: string): string =>
  sentence.repeat(Math.ceil(1_500_000 / Buffer.byteLength(JSON.stringify(sentence))))

/** The documents of each container, as batches of one partition key. */
export function documents(): Readonly<Record<string, readonly (readonly object[])[]>> {
  const batches = many(keys, (key) => many(documentsPerKey, (at) => small(at * keys + key)))
  return {
    items: batches,
    search: batches,
    strict: [[{ id: 'd1', pk: 'k1', u: 1, n: 1, s: 'a' }], [{ id: 'd2', pk: 'k2', u: 1, ttl: 5 }]],
    tree: [[{ id: 'd1', a: 'x', b: 1, c: null, n: 1 }], [{ id: 'd2', a: 'x', b: 2, n: 2 }]],
    lists: many(3, (at) => [long(at)]),
    texts: [
      [{ id: 'd0', pk: 'k0', s: text('a') }],
      [{ id: 'd1', pk: 'k0', s: text('the red bicycles of aab mountains, ') }],
      [{ id: 'd2', pk: 'k0', s: text('"\\😀 ünï % _ [') }],
    ],
  }
}

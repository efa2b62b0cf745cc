import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/emulator/engine/index.js'
import { compileQuery } from '../../../../src/emulator/query/index.js'
import { indexMetricsHeader } from '../../../../src/emulator/rest/pages/index-metrics.js'
import { aContainer, anEngine } from '../engine/an-engine.js'

function headersFor(
  text: string,
  headers: Record<string, string>,
  settings: JsonObject = {},
): Readonly<Record<string, string>> {
  const request = { method: 'POST', path: '', headers, body: '', origin: '' }
  return indexMetricsHeader(request, aContainer(anEngine(), settings), compileQuery(text, []))
}

function headerFor(text: string, headers: Record<string, string>, settings?: JsonObject): string {
  return headersFor(text, headers, settings)['x-ms-cosmos-index-utilization'] ?? ''
}

function metricsOf(text: string, settings?: JsonObject): unknown {
  const json = decodeURIComponent(
    headerFor(text, { 'x-ms-cosmos-populateindexmetrics-v2': 'True' }, settings),
  )
  return JSON.parse(json)
}

/** The metrics with these single indexes in use, and advice for these composite indexes. */
function metrics(utilized: readonly string[], potential: readonly (readonly string[])[] = []): unknown {
  return {
    UtilizedIndexes: { SingleIndexes: utilized.map((IndexSpec) => ({ IndexSpec })), CompositeIndexes: [] },
    PotentialIndexes: {
      SingleIndexes: [],
      CompositeIndexes: potential.map((IndexSpecs) => ({ IndexSpecs, IndexImpactScore: 'High' })),
    },
  }
}

const both = ['/name/?', '/id/?']
const advised = [['/id ASC', '/name ASC']]

describe('index metrics', () => {
  // The .NET SDK (IndexMetricsParserBaselineTest) recorded these answers of the service.
  it.each<[string, readonly string[], readonly (readonly string[])[]]>([
    ['SELECT * FROM c WHERE c.id = "1"', ['/id/?'], []],
    ['SELECT * FROM c WHERE c.id = "1" and c.name = "Abc"', both, []],
    ['SELECT * FROM c WHERE c.id = "1" and c.name > "Abc"', both, advised],
    ['SELECT * FROM c WHERE c.id > "1" and c.name > "Abc"', both, []],
    ['SELECT VALUE COUNT(1) FROM c WHERE c.id = "1" and c.name > "Abc"', both, advised],
    ['SELECT * FROM c WHERE c.id = "1" ORDER BY c.id ASC', ['/id/?'], []],
    ['SELECT * FROM c WHERE c.id = "1" and c.name = "Abc" ORDER BY c.id ASC', ['/name/?'], []],
    ['SELECT * FROM c WHERE c.id = "1" and c.name > "Abc" ORDER BY c.id ASC', both, advised],
    ['SELECT * FROM c WHERE c.id > "1" and c.name > "Abc" ORDER BY c.id ASC', ['/name/?'], []],
    ['SELECT COUNT(1) FROM c WHERE c.id = "1" and c.name = "Abc" GROUP BY c.id', both, []],
    ['SELECT COUNT(1) FROM c WHERE c.id = "1" and c.name > "Abc" GROUP BY c.id', both, advised],
    ['SELECT COUNT(1) FROM c WHERE c.id = "1" GROUP BY c.id, c.name', ['/id/?'], []],
    ['SELECT COUNT(1) FROM c WHERE c.id = "1" and c.name = "Abc" GROUP BY c.id, c.name', both, advised],
    ['SELECT COUNT(1) FROM c WHERE c.id > "1" and c.name > "Abc" GROUP BY c.id, c.name', both, []],
    ["SELECT 'a' AS test, c.id, c.text FROM c WHERE STARTSWITH(c.text, 'The', false)", ['/text/?'], []],
    ["SELECT VALUE STARTSWITH(r['\u0131'], 's', false) FROM root r", ['/\u0131/?'], []],
    ["SELECT VALUE STARTSWITH(r['ZZZzzz'], 's', true) FROM root r", ['/ZZZzzz/?'], []],
    ["SELECT VALUE STARTSWITH(r[' !\"!@#'], 's', true) FROM root r", ['/" !\\"!@#"/?'], []],
  ])('are those of the service for %s', (text, utilized, potential) => {
    expect(metricsOf(text)).toEqual(metrics(utilized, potential))
  })

  it.each<[string, readonly string[], readonly (readonly string[])[]]>([
    // From the documentation of index metrics.
    [
      "SELECT TOP 10 c.id FROM c WHERE c.Item = 'value1234' AND c.Price > 2",
      ['/Item/?', '/Price/?'],
      [['/Item ASC', '/Price ASC']],
    ],
    [
      'SELECT * FROM c WHERE c.kind = 1 ORDER BY c.at DESC',
      ['/kind/?', '/at/?'],
      [['/kind ASC', '/at DESC']],
    ],
    ['SELECT VALUE c FROM c JOIN t IN c.tags WHERE t.name = "x"', ['/tags/[]/name/?'], []],
    ['SELECT * FROM c WHERE (c.a = 1 OR NOT (2 < c.b.d)) AND c.e LIKE "x%"', ['/a/?', '/b/d/?', '/e/?'], []],
    ['SELECT * FROM c', [], []],
  ])('name the paths of %s', (text, utilized, potential) => {
    expect(metricsOf(text)).toEqual(metrics(utilized, potential))
  })

  it('follow the indexing policy', () => {
    const indexingPolicy = {
      includedPaths: [{ path: '/*' }],
      excludedPaths: [{ path: '/a/?' }],
      compositeIndexes: [[{ path: '/b' }, { path: '/c', order: 'descending' }]],
    }
    expect(metricsOf('SELECT * FROM x WHERE x.a = 1 AND x.b = 2 AND x.c > 3', { indexingPolicy })).toEqual({
      UtilizedIndexes: {
        SingleIndexes: [{ IndexSpec: '/b/?' }, { IndexSpec: '/c/?' }],
        CompositeIndexes: [{ IndexSpecs: ['/b ASC', '/c DESC'] }],
      },
      PotentialIndexes: {
        SingleIndexes: [{ IndexSpec: '/a/?', IndexImpactScore: 'High' }],
        CompositeIndexes: [],
      },
    })
  })

  it('have the old form for old clients', () => {
    const text = 'SELECT * FROM c WHERE c.name = "Julien" AND c.age > 12'
    const encoded = headerFor(text, { 'x-ms-cosmos-populateindexmetrics': 'True' })
    const more = { FilterPreciseSet: true, IndexPreciseSet: true, IndexImpactScore: 'High' }
    expect(JSON.parse(Buffer.from(encoded, 'base64').toString())).toEqual({
      UtilizedSingleIndexes: [
        { FilterExpression: '(ROOT.name = "Julien")', IndexSpec: '/name/?', ...more },
        { FilterExpression: '(ROOT.age > 12)', IndexSpec: '/age/?', ...more },
      ],
      PotentialSingleIndexes: [],
      UtilizedCompositeIndexes: [],
      PotentialCompositeIndexes: [
        { IndexSpecs: ['/name ASC', '/age ASC'], IndexPreciseSet: false, IndexImpactScore: 'High' },
      ],
    })
  })

  it('come only with the first page of a query that asks for them', () => {
    const text = 'SELECT * FROM c WHERE c.a = 1'
    expect(headersFor(text, {})).toEqual({})
    expect(
      headersFor(text, { 'x-ms-cosmos-populateindexmetrics-v2': 'true', 'x-ms-continuation': '{}' }),
    ).toEqual({})
  })

  it('never make a header too long for a client', () => {
    const paths = Array.from({ length: 500 }, (_, number) => `c.property${number} = ${number}`)
    const text = `SELECT * FROM c WHERE ${paths.join(' AND ')} AND c.last > 1`
    expect(headerFor(text, { 'x-ms-cosmos-populateindexmetrics-v2': 'true' }).length).toBeLessThan(8_001)
    expect(metricsOf(text)).toHaveProperty('UtilizedIndexes')
  })
})

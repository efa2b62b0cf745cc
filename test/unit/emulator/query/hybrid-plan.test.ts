import { describe, expect, it } from 'vitest'
import { compileQuery, QueryError } from '../../../../src/emulator/query/index.js'

const allFeatures =
  'Aggregate, Distinct, GroupBy, Top, OffsetAndLimit, OrderBy, NonStreamingOrderBy, HybridSearch, WeightedRankFusion'
const short = `${allFeatures}, HybridSearchSkipOrderByRewrite`

function planOf(query: string, features: string | null = allFeatures): Record<string, unknown> {
  const plan = compileQuery(query, [{ name: '@weights', value: [1, -0.3] }]).plan(features)
  return { ...('hybridSearchQueryInfo' in plan ? plan.hybridSearchQueryInfo : plan.queryInfo) }
}

function refusalOf(query: string, features: string | null = allFeatures): QueryError {
  try {
    planOf(query, features)
  } catch (error) {
    if (error instanceof QueryError) return error
    throw error
  }
  throw new Error(`${query} has a plan`)
}

const words =
  '_FullTextScore(c.text, ["swim", "run"], {documentdb-formattablehybridsearchquery-totaldocumentcount}, ' +
  '{documentdb-formattablehybridsearchquery-totalwordcount-0}, {documentdb-formattablehybridsearchquery-hitcountsarray-0})'

const empty = {
  distinctType: 'None',
  top: null,
  offset: null,
  limit: null,
  orderBy: [],
  orderByExpressions: [],
  groupByExpressions: [],
  groupByAliases: [],
  aggregates: [],
  groupByAliasToAggregateType: {},
  hasSelectValue: false,
  dCountInfo: null,
  hasNonStreamingOrderBy: false,
}

/** The expected plans are those that the service's engine gives, as tests of the .NET client record them. */
describe('the plan of ORDER BY RANK', () => {
  it('scores by one function with statistics of the whole container', () => {
    expect(planOf('SELECT TOP 10 * FROM c ORDER BY RANK FullTextScore(c.text, "swim", "run")')).toEqual({
      globalStatisticsQuery:
        'SELECT COUNT(1) AS documentCount, [{"totalWordCount": SUM(_FullTextWordCount(c.text)), "hitCounts": [COUNTIF(FullTextContains(c.text, "swim")), COUNTIF(FullTextContains(c.text, "run"))]}] AS fullTextStatistics\nFROM c',
      componentQueryInfos: [
        {
          ...empty,
          top: 120,
          orderBy: ['Descending'],
          orderByExpressions: [words],
          rewrittenQuery: `SELECT TOP 120 c._rid, [{"item": ${words}}] AS orderByItems, {"payload": c, "componentScores": [(${words} ?? -1)]} AS payload\nFROM c\nWHERE ({documentdb-formattableorderbyquery-filter})\nORDER BY ${words} DESC`,
          hasNonStreamingOrderBy: true,
        },
      ],
      componentWithoutPayloadQueryInfos: [],
      projectionQueryInfo: null,
      componentWeights: [],
      skip: null,
      take: 10,
      requiresGlobalStatistics: true,
    })
  })

  it('needs no statistics for vectors, and ranks the lowest scores first for a negative weight', () => {
    const query =
      'SELECT TOP 10 * FROM c ORDER BY RANK RRF(VectorDistance(c.backup_image, [0.5, 0.2, 0.33]), VectorDistance(c.image, [1, 2, 3]), [1, -0.3])'
    const scores =
      '(_VectorScore(c.backup_image, [0.5, 0.2, 0.33]) ?? -1.79769e+308), (_VectorScore(c.image, [1, 2, 3]) ?? 1.79769e+308)'
    const component = (score: string, order: string, direction: string): unknown => ({
      ...empty,
      top: 120,
      orderBy: [order],
      orderByExpressions: [score],
      rewrittenQuery: `SELECT TOP 120 c._rid, [{"item": ${score}}] AS orderByItems, {"payload": c, "componentScores": [${scores}]} AS payload\nFROM c\nWHERE ({documentdb-formattableorderbyquery-filter})\nORDER BY ${score}${direction}`,
      hasNonStreamingOrderBy: true,
    })
    const expected = {
      globalStatisticsQuery: 'SELECT COUNT(1) AS documentCount, [] AS fullTextStatistics\nFROM c',
      componentQueryInfos: [
        component('_VectorScore(c.backup_image, [0.5, 0.2, 0.33])', 'Descending', ''),
        component('_VectorScore(c.image, [1, 2, 3])', 'Ascending', ' ASC'),
      ],
      componentWithoutPayloadQueryInfos: [],
      projectionQueryInfo: null,
      componentWeights: [1, 0.3],
      skip: null,
      take: 10,
      requiresGlobalStatistics: false,
    }
    expect(planOf(query)).toEqual(expected)
    expect(planOf(query.replace('[1, -0.3]', '@weights'))).toEqual(expected)
  })

  it('leaves out the order of several components for a client that ranks by the scores alone', () => {
    const scores = `(${words} ?? -1), (_VectorScore(c.image, [1, 2, 3]) ?? -1.79769e+308)`
    expect(
      planOf(
        'SELECT TOP 10 * FROM c ORDER BY RANK RRF(FullTextScore(c.text, "swim", "run"), VectorDistance(c.image, [1, 2, 3]))',
        short,
      )['componentQueryInfos'],
    ).toEqual([
      {
        ...empty,
        rewrittenQuery: `SELECT TOP 120 c._rid, c AS payload, [${scores}] AS componentScores\nFROM c\nORDER BY ${words} DESC`,
      },
      {
        ...empty,
        rewrittenQuery: `SELECT TOP 120 c._rid, c AS payload, [${scores}] AS componentScores\nFROM c\nORDER BY _VectorScore(c.image, [1, 2, 3])`,
      },
    ])
  })

  it('negates the score of a negative weight for such a client, and keeps the filter', () => {
    const query =
      'SELECT TOP 200 VALUE c.id FROM c WHERE c.a = 1 ORDER BY RANK RRF(VectorDistance(c.v, [1]), VectorDistance(c.w, [2]), [1, -1])'
    expect(planOf(query, short)['componentQueryInfos']).toMatchObject([
      {
        rewrittenQuery:
          'SELECT TOP 400 c._rid, c.id AS payload, [(_VectorScore(c.v, [1]) ?? -1.79769e+308), (-1 * (_VectorScore(c.w, [2]) ?? 1.79769e+308))] AS componentScores\nFROM c\nWHERE (c.a = 1)\nORDER BY _VectorScore(c.v, [1])',
      },
      { rewrittenQuery: expect.stringMatching(/ORDER BY _VectorScore\(c\.w, \[2\]\) ASC$/u) as string },
    ])
  })

  it('gives such a client no scores if there is only one component', () => {
    expect(
      planOf('SELECT TOP 1 * FROM c ORDER BY RANK VectorDistance(c.v, [1])', short)['componentQueryInfos'],
    ).toMatchObject([
      {
        rewrittenQuery: expect.stringContaining('{"payload": c, "componentScores": []} AS payload') as string,
      },
    ])
  })

  it.each([
    ['OFFSET 0 LIMIT 10', { skip: 0, take: 10 }, 120],
    ['OFFSET 10 LIMIT 0', { skip: 10, take: 0 }, 120],
    ['OFFSET 100 LIMIT 50', { skip: 100, take: 50 }, 300],
  ])('asks each range for enough documents with %s', (page, window, limit) => {
    const plan = planOf(`SELECT c.name FROM c ORDER BY RANK FullTextScore(c.text, "swim") ${page}`)
    expect(plan).toMatchObject({
      ...window,
      componentQueryInfos: [
        {
          top: null,
          offset: 0,
          limit,
          rewrittenQuery: expect.stringContaining(`DESC\nOFFSET 0 LIMIT ${limit}`) as string,
        },
      ],
    })
  })

  it.each([
    ['SELECT * FROM c ORDER BY RANK FullTextScore(c.a, "x")', 'NonStreamingOrderBy', 'HybridSearch'],
    [
      'SELECT * FROM c ORDER BY RANK RRF(FullTextScore(c.a, "x"), FullTextScore(c.b, "x"), [1, 2])',
      'NonStreamingOrderBy, HybridSearch',
      'WeightedRankFusion',
    ],
    ['SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.a FROM c)', 'Aggregate, Distinct', 'DCount'],
  ])('is refused to a client that lacks a feature: %s', (query, features, missing) => {
    const refusal = refusalOf(query, features)
    expect(refusal.status).toBe(400)
    expect(refusal.reason).toContain(`Query contained ${missing}, which the calling client does not support.`)
  })

  it.each([
    ['SELECT DISTINCT c.a FROM c ORDER BY RANK FullTextScore(c.a, "x")', 'with DISTINCT'],
    ['SELECT t.a FROM c JOIN t IN c.tags ORDER BY RANK FullTextScore(c.a, "x")', 'with JOIN'],
  ])('is refused for rows that clients confuse: %s', (query, reason) => {
    expect(refusalOf(query)).toMatchObject({ status: 501, reason: expect.stringContaining(reason) as string })
  })
})

describe('the plan of a subquery whose rows depend on several documents', () => {
  it('counts the merged rows of DISTINCT', () => {
    expect(planOf('SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.a FROM c)', null)).toMatchObject({
      distinctType: 'Unordered',
      rewrittenQuery: 'SELECT DISTINCT VALUE c.a FROM c',
      dCountInfo: { dCountAlias: '' },
    })
  })

  it('counts merged groups, and names the number as the row does', () => {
    expect(
      planOf('SELECT COUNT(1) AS n FROM (SELECT c.a, MAX(c.b) AS b FROM c GROUP BY c.a) AS g', null),
    ).toMatchObject({
      groupByExpressions: ['c.a'],
      rewrittenQuery: expect.stringContaining('GROUP BY c.a') as string,
      dCountInfo: { dCountAlias: 'n' },
    })
  })

  it('is the plan of the inner query if the outer query only returns its rows', () => {
    expect(planOf('SELECT TOP 3 VALUE d FROM (SELECT DISTINCT c.a FROM c) AS d')).toMatchObject({
      distinctType: 'Unordered',
      top: 3,
      dCountInfo: null,
    })
  })

  it.each([
    'SELECT d.a FROM (SELECT DISTINCT c.a FROM c) AS d',
    'SELECT VALUE d FROM (SELECT DISTINCT c.a FROM c) AS d WHERE d.a > 1',
    'SELECT VALUE COUNT(d.a) FROM (SELECT DISTINCT c.a FROM c) AS d',
    'SELECT VALUE SUM(d) FROM (SELECT DISTINCT VALUE c.a FROM c) AS d',
  ])('is refused if the outer query computes with the rows: %s', (query) => {
    expect(refusalOf(query, null).status).toBe(501)
  })
})

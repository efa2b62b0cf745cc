import type { Container, FeedOptions } from '@azure/cosmos'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { compileQuery } from '../../../src/emulator/query/index.js'

let emulator: Emulator
let container: Container

/** Values of every type, some missing, so that merges meet them in every range. */
const values = [1, 2, 2, 3, -5, 'b', 'a', true, null, undefined, 10, 7.5, [1], { x: 1 }]

/** A text with one or two of the words red and blue, and with as many other words as no other text. */
function textOf(index: number): string | undefined {
  const colours = ['red', 'blue', 'red and blue', 'none', undefined][index % 5]
  return colours === undefined ? undefined : `${colours}${' word'.repeat(index + 1)}`
}

const fullTextPolicy = { defaultLanguage: 'en-US', fullTextPaths: [{ path: '/text', language: 'en-US' }] }
const fullTextIndexes = [{ path: '/text' }]

beforeAll(async () => {
  emulator = await startEmulator({ port: 0, partitionCount: 3 })
  const client = emulator.client()
  const { database } = await client.databases.create({ id: 'shop' })
  ;({ container } = await database.containers.create({
    id: 'orders',
    partitionKey: '/pk',
    fullTextPolicy,
    indexingPolicy: {
      fullTextIndexes,
      compositeIndexes: [
        [
          { path: '/name/first', order: 'descending' },
          { path: '/number', order: 'ascending' },
        ],
      ],
    },
  }))
  for (let index = 0; index < 60; index += 1) {
    await container.items.create({
      id: `${index}`,
      pk: `key-${index % 20}`,
      number: (index * 37) % 60,
      // Missing from the documents that come first in the order of their numbers.
      later: (index * 37) % 60 < 8 ? undefined : index,
      group: ['red', 'green', 'blue', undefined, null][index % 5],
      value: values[index % values.length],
      tags: Array.from({ length: index % 4 }, (_, tag) => ({ name: `tag-${tag}`, size: tag * index })),
      name: { first: `first-${index % 7}` },
      vector: [index, 60 - index],
      text: textOf(index),
    })
  }
})

afterAll(() => emulator.close())

const parameters = [{ name: '@three', value: 3 }]

async function rowsOf(query: string, options: FeedOptions): Promise<unknown[]> {
  const { resources } = await container.items
    .query<unknown>({ query, parameters }, { maxItemCount: 7, ...options })
    .fetchAll()
  return resources
}

async function inOnePiece(query: string): Promise<readonly unknown[]> {
  const { resources } = await container.items.readAll<Record<string, unknown>>().fetchAll()
  return compileQuery(query, parameters, {}).execute(resources)
}

const inAnyOrder = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort()

describe('a query over three ranges', () => {
  it.each([
    'SELECT * FROM c',
    'SELECT VALUE c.number FROM c WHERE c.number > 30',
    'SELECT c.id, t.name FROM c JOIN t IN c.tags WHERE t.size > 20',
    'SELECT VALUE COUNT(1) FROM c',
    'SELECT VALUE COUNT(1) FROM c JOIN t IN c.tags',
    'SELECT VALUE COUNT(1) FROM c WHERE false',
    'SELECT VALUE SUM(c.number) FROM c',
    'SELECT VALUE AVG(c.number) FROM c WHERE c.number % 2 = 0',
    'SELECT VALUE MIN(c.number) FROM c',
    'SELECT VALUE MAX(c.name.first) FROM c',
    'SELECT VALUE MAX(c.number) FROM c WHERE c.pk = "key-3"',
    'SELECT COUNT(1) AS n, MIN(c.number) AS least, AVG(c.number) AS mean, MAX(c.id) AS last FROM c',
    'SELECT COUNT(1), SUM(c.number) FROM c WHERE c.number < 10',
    'SELECT c["group"], COUNT(1) AS n FROM c GROUP BY c["group"]',
    'SELECT c["group"], AVG(c.number) AS mean, MIN(c.number) AS least FROM c GROUP BY c["group"]',
    'SELECT c.name.first, c.pk, SUM(c.number) AS sum FROM c WHERE c.number > 3 GROUP BY c.name.first, c.pk',
    'SELECT UPPER(c.name.first) AS first, COUNT(1) AS n FROM c GROUP BY UPPER(c.name.first)',
    'SELECT t.name, COUNT(1) AS n FROM c JOIN t IN c.tags GROUP BY t.name',
    'SELECT VALUE c.name.first FROM c GROUP BY c.name.first',
    'SELECT VALUE COUNT(1) FROM c GROUP BY c.name.first',
    'SELECT DISTINCT VALUE c.name.first FROM c',
    'SELECT DISTINCT c["group"] FROM c',
    'SELECT DISTINCT VALUE t.name FROM c JOIN t IN c.tags',
    'SELECT VALUE (SELECT VALUE SUM(t.size) FROM t IN c.tags) FROM c',
    'SELECT c.id FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t.size > 50)',
    'SELECT VALUE ARRAY(SELECT VALUE t.size FROM t IN c.tags) FROM c WHERE c.number < 20',
    'SELECT VALUE 1 + @three',
    'SELECT VALUE d FROM (SELECT DISTINCT VALUE c.name.first FROM c) AS d',
    'SELECT * FROM (SELECT c["group"], COUNT(1) AS n FROM c GROUP BY c["group"]) AS g',
    'SELECT VALUE n FROM (SELECT VALUE COUNT(1) FROM c) AS n',
  ])('gives the same rows from its plan as in one piece: %s', async (query) => {
    const whole = await inOnePiece(query)
    expect(inAnyOrder(await rowsOf(query, { forceQueryPlan: true }))).toEqual(inAnyOrder(whole))
  })

  it.each([
    'SELECT * FROM c ORDER BY c.number',
    'SELECT VALUE c.number FROM c ORDER BY c.number DESC',
    'SELECT c.id, c.number FROM c WHERE c.number > @three AND c.number < 50 ORDER BY c.number ASC',
    'SELECT TOP 5 c.number FROM c ORDER BY c.number',
    'SELECT TOP @three c.number FROM c ORDER BY c.number',
    'SELECT c.number FROM c ORDER BY c.number OFFSET 10 LIMIT 5',
    'SELECT c.number FROM c ORDER BY c.number OFFSET @three LIMIT @three',
    'SELECT c.name.first, c.number FROM c ORDER BY c.name.first DESC, c.number ASC',
    'SELECT DISTINCT VALUE c.name.first FROM c ORDER BY c.name.first',
    'SELECT DISTINCT c.name.first FROM c ORDER BY c.name.first DESC',
    'SELECT DISTINCT TOP 3 VALUE c.name.first FROM c ORDER BY c.name.first',
    'SELECT DISTINCT VALUE c.name.first FROM c ORDER BY c.name.first OFFSET 2 LIMIT 3',
    'SELECT TOP 4 VALUE c.later FROM c ORDER BY c.number',
    'SELECT VALUE c.later FROM c WHERE c.number < 58 OR false ORDER BY c.number DESC OFFSET 1 LIMIT 2',
    'SELECT VALUE c.later FROM c ORDER BY c.number',
    'SELECT DISTINCT TOP 2 VALUE c.later % 3 + 1 FROM c ORDER BY c.number',
    'SELECT TOP 2 VALUE (SELECT VALUE t.size FROM c.tags[2] AS t) FROM c ORDER BY c.number',
    'SELECT TOP 2 VALUE c.later FROM c ORDER BY VectorDistance(c.vector, [1, 2])',
    'SELECT VALUE t.size FROM c JOIN t IN c.tags WHERE c.number > 40 ORDER BY c.number',
    'SELECT TOP 5 c.id FROM c ORDER BY VectorDistance(c.vector, [1, 2])',
    'SELECT TOP 5 c.id FROM c ORDER BY VectorDistance(c.vector, [30, 31.4], true, { distanceFunction: "euclidean" })',
    'SELECT c.number /* between */ FROM c -- the end\nWHERE c.number > 5 -- more\nORDER BY c.number',
    'SELECT TOP 20 c.id FROM c ORDER BY RANK FullTextScore(c.text, "red")',
    'SELECT TOP 9 c.id FROM c WHERE STARTSWITH(c.text, "blue") OR c.id IN ("0", "5") ORDER BY RANK FullTextScore(c.text, "red", "blue")',
    'SELECT c.id FROM c ORDER BY RANK FullTextScore(c.text, "red") OFFSET 3 LIMIT 5',
    'SELECT TOP 5 * FROM c ORDER BY RANK VectorDistance(c.vector, [1, 2])',
    'SELECT TOP 5 c.id FROM c ORDER BY RANK VectorDistance(c.vector, [3, 40.3], true, { distanceFunction: "euclidean" })',
    'SELECT TOP 60 c.id FROM c ORDER BY RANK RRF(FullTextScore(c.text, "red"), VectorDistance(c.vector, [1, 2]), [1, 0.37])',
    'SELECT TOP 9 c.id FROM c WHERE c.number > 9 ORDER BY RANK RRF(FullTextScore(c.text, "red"), VectorDistance(c.vector, [1, 2]), [0.37, -1])',
    'SELECT c.id FROM c ORDER BY RANK RRF(VectorDistance(c.vector, [1, 2]), FullTextScore(c.text, "blue"), [1, 0.41]) OFFSET 2 LIMIT 6',
  ])('gives the rows in the same order from its plan as in one piece: %s', async (query) => {
    expect(await rowsOf(query, { forceQueryPlan: true })).toEqual(await inOnePiece(query))
  })

  it.each(['SELECT TOP 7 VALUE c.number FROM c', 'SELECT VALUE c.number FROM c OFFSET 50 LIMIT 20'])(
    'gives as many rows from its plan as in one piece: %s',
    async (query) => {
      const planned = await rowsOf(query, { forceQueryPlan: true })
      expect(new Set(planned).size).toBe(planned.length)
      expect(planned).toHaveLength((await inOnePiece(query)).length)
    },
  )

  it.each([
    ['SELECT COUNT(1) + 1 AS n FROM c', 400, 'Compositions of aggregates'],
    ['SELECT VALUE { n: COUNT(1) } FROM c', 400, 'Compositions of aggregates'],
    ['SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.pk FROM c)', 400, 'Query contained DCount'],
    [
      'SELECT VALUE SUM(d) FROM (SELECT DISTINCT VALUE c.number FROM c) AS d',
      501,
      'DISTINCT, GROUP BY or an aggregate',
    ],
  ])('has no plan: %s', async (query, code, words) => {
    const error: unknown = await rowsOf(query, { forceQueryPlan: true }).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) as string })
  })

  it('is refused if the container has no full-text index for the text that it ranks', async () => {
    const query = 'SELECT TOP 1 * FROM c ORDER BY RANK FullTextScore(c.id, "1")'
    await expect(rowsOf(query, { forceQueryPlan: true })).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining('full-text index for the path /id') as string,
    })
  })

  it('counts the words of all ranges if it ranks the documents of one key', async () => {
    const { container: texts } = await container.database.containers.create({
      id: 'texts',
      partitionKey: '/pk',
      fullTextPolicy,
      indexingPolicy: { fullTextIndexes },
    })
    const items = ['a red sky', 'a blue sky', 'b red', 'c red', 'd red', 'e red', 'f red']
    for (const item of items)
      await texts.items.create({ id: item, pk: item.slice(0, 1), text: item.slice(2) })
    const query =
      'SELECT TOP 2 c.id FROM c WHERE c.pk = "a" ORDER BY RANK FullTextScore(c.text, "red", "blue")'
    for (const forceQueryPlan of [false, true]) {
      const { resources } = await texts.items.query<unknown>(query, { forceQueryPlan }).fetchAll()
      expect(resources).toEqual([{ id: 'a blue sky' }, { id: 'a red sky' }])
    }
  })

  it('continues after each page of its plan', async () => {
    const query = 'SELECT VALUE c.number FROM c ORDER BY c.number'
    const pages = container.items.query<number>(query, {
      maxItemCount: 4,
      forceQueryPlan: true,
      enableQueryControl: true,
    })
    const rows: number[] = []
    while (pages.hasMoreResults()) rows.push(...(await pages.fetchNext()).resources)
    expect(rows).toEqual(Array.from({ length: 60 }, (_, index) => index))
  })
})

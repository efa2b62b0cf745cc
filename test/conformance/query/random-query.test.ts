import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateQuery, printQuery } from './naive-evaluator.js'
import { drawFrom, randomQuery, someChoices, someDocuments } from './random-query.js'
import { canonical, rowsOf } from './rows-of.js'

/** With `QUERY_RUNS=100000`, this test searches longer, and with another seed each time. */
const runs = process.env['QUERY_RUNS']
const parameters: { numRuns: number; seed?: number } =
  runs === undefined ? { numRuns: 2_000, seed: 20_261_122 } : { numRuns: Number(runs) }

/** Ten thousand runs take about twenty seconds. */
const timeout = 60_000 + parameters.numRuns * 10

describe('a random query over random documents', () => {
  it('has the rows that the naive evaluator computes', { timeout }, () => {
    fc.assert(
      fc.property(someDocuments, someChoices, (documents, choices) => {
        const query = randomQuery(drawFrom(choices))
        const text = printQuery(query)
        const expected = evaluateQuery(query, documents)
        expect(rowsOf(text, documents).map(canonical), text).toEqual(expected.map(canonical))
      }),
      parameters,
    )
  })
})

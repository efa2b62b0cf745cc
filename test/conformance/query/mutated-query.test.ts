import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileQuery, QueryError } from '../../../src/emulator/query/index.js'
import { systemClock } from '../../../src/platform/index.js'
import { mutated } from './mutations.js'
import { drawFrom, someChoices } from './random-query.js'
import { searched, validQueries } from './valid-queries.js'

/** With `QUERY_RUNS=100000`, this test searches longer, and with another seed each time. */
const runs = process.env['QUERY_RUNS']
const parameters: { numRuns: number; seed?: number } =
  runs === undefined ? { numRuns: 500, seed: 20_261_122 } : { numRuns: Number(runs) }

/** The longest time in milliseconds that a client waits. */
const longestAnswer = 5_000

const bound = [
  { name: '@one', value: 1 },
  { name: '@word', value: 'bicycle' },
]

/** Returns the rows and the plan of a query, or nothing if the query is refused. */
function answerTo(text: string): unknown {
  try {
    const query = compileQuery(text, bound)
    const rows = query.execute(searched)
    return { rows, plan: planOf(() => query.plan(null)) }
  } catch (error) {
    if (error instanceof QueryError) return undefined
    throw error
  }
}

/** A query that no client can merge still has rows. */
function planOf(plan: () => unknown): unknown {
  try {
    return plan()
  } catch (error) {
    if (error instanceof QueryError) return undefined
    throw error
  }
}

/** Checks whether a value has a part that JSON cannot hold. */
function isImpossible(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(isImpossible)
}

describe('a valid query', () => {
  it.each(validQueries)('has an answer: %s', (text) => {
    expect(answerTo(text)).toBeDefined()
  })
})

describe('a query with tokens removed, repeated, swapped or nested', () => {
  it('has an answer in JSON or is refused, within the time that clients wait', { timeout: 3_600_000 }, () => {
    fc.assert(
      fc.property(someChoices, (choices) => {
        const text = mutated(drawFrom(choices), validQueries)
        const start = systemClock.now()
        const answer = answerTo(text)
        expect(isImpossible(answer), text).toBe(false)
        expect(systemClock.now() - start, text).toBeLessThan(longestAnswer)
      }),
      parameters,
    )
  })
})

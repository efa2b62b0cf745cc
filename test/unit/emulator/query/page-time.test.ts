import { describe, expect, it } from 'vitest'
import { compileQuery, type CompiledQuery } from '../../../../src/emulator/query/index.js'

const items = Array.from({ length: 40 }, (_, index) => index)
const big = Array.from({ length: 1_000 }, () => 1)
const document = { items, big, same: [...big.slice(1), 2], text: 'a'.repeat(5_000) }

/** Compiles a query with clocks that advance by 1 ms at each look. */
function compiled(text: string, pageTimeMs: number, processor = (): number => Infinity): CompiledQuery {
  let looks = 0
  return compileQuery(text, [], { pageTimeMs, clocks: { monotonic: () => (looks += 1), processor } })
}

/** A processor time that begins at 0 and has then passed every limit. */
function exhausted(): () => number {
  let isBegun = false
  return () => (isBegun ? Infinity : ((isBegun = true), 0))
}

/** Expects that a query looks at the clock more than 3 times for one document. */
function expectRefusal(text: string): void {
  expect(() => compiled(text, 3, exhausted()).execute([document])).toThrow('runs longer than the limit')
}

describe('the time of a page', () => {
  it.each([
    ['a search', 'WHERE CONTAINS(c.text, "ab")'],
    ['a search for several texts', 'WHERE CONTAINS_ANY_CS(c.text, "b", "c")'],
    ['LIKE', 'WHERE c.text LIKE "%ab%"'],
    ['a comparison of arrays', 'WHERE c.big != c.same'],
    ['BETWEEN', 'WHERE c.text BETWEEN c.text AND "b"'],
    ['ORDER BY', 'ORDER BY c.text'],
    ['GROUP BY', 'GROUP BY c.big'],
  ])('is checked among the frames of JOINs: %s', (_name, clauses) => {
    expectRefusal(`SELECT VALUE 1 FROM c JOIN i IN c.items JOIN j IN c.items ${clauses}`)
  })

  it.each([
    ['DISTINCT', 'DISTINCT VALUE c.big'],
    ['MAKESET', 'VALUE MAKESET(c.big)'],
    ['rows', 'c.big, i'],
    ['a subquery', 'VALUE ARRAY(SELECT VALUE x FROM x IN c.big)'],
  ])('is checked while rows are selected: %s', (_name, selection) => {
    expectRefusal(`SELECT ${selection} FROM c JOIN i IN c.items JOIN j IN c.items`)
  })

  it.each([
    ['calls', 'CONTAINS(c.text, "b")', 300],
    ['calls with one argument', 'LENGTH(c.text) = 1', 300],
    ['calls with three arguments', 'CONTAINS(c.text, "b", true)', 300],
    ['LIKE', 'c.text LIKE "%b"', 300],
    ['equality of arrays', 'c.big = c.same', 300],
    ['inequality of arrays', 'NOT (c.big != c.same)', 300],
    ['IN with arrays', 'c.big IN (c.same, c.same, c.same)', 100],
    ['slow calls', 'RegexMatch(c.text, "b")', 30],
  ])('is checked within the filter of one frame: %s', (_name, condition, count) => {
    expectRefusal(`SELECT * FROM c WHERE ${Array(count).fill(condition).join(' OR ')}`)
  })

  it('is checked among documents, more often if the query is longer', () => {
    const documents = Array.from({ length: 100 }, () => document)
    const long = Array(200).fill('c.none = 1').join(' OR ')
    expect(() => compiled(`SELECT * FROM c WHERE ${long}`, 3, exhausted()).execute(documents)).toThrow()
    expect(compiled('SELECT * FROM c WHERE c.none = 1', 3, exhausted()).execute(documents)).toEqual([])
  })

  it('is checked while sources yield nothing', () => {
    const many = { items: Array.from({ length: 1_000 }, () => ({})) }
    const text = 'SELECT VALUE 1 FROM c JOIN i IN c.items JOIN j IN i.none'
    expect(() => compiled(text, 3, exhausted()).execute([many])).toThrow('runs longer')
  })

  it('is checked while texts are scored', () => {
    const documents = Array.from({ length: 30 }, () => document)
    const text = 'SELECT * FROM c ORDER BY RANK FullTextScore(c.text, "b")'
    expect(() => compiled(text, 20, exhausted()).execute(documents)).toThrow('runs longer')
  })

  it('is checked while rows are sorted', () => {
    const documents = Array.from({ length: 1_500 }, (_, index) => ({ at: (index * 787) % 1_500 }))
    const looksOf = (text: string): number => {
      let looks = 0
      const clocks = { monotonic: () => (looks += 1), processor: () => 0 }
      expect(compileQuery(text, [], { clocks }).execute(documents)).toHaveLength(1_500)
      return looks
    }
    expect(looksOf('SELECT * FROM c ORDER BY c.at')).toBeGreaterThan(looksOf('SELECT * FROM c') + 2)
  })

  it('does not include the time in which the processor works for other processes', () => {
    const query = compiled('SELECT VALUE COUNT(1) FROM c JOIN i IN c.items JOIN j IN c.items', 1, () => 0)
    expect(query.execute([document])).toEqual([1_600])
    expect(query.isTimeOver()).toBe(false)
  })

  it('grows with the documents that a query must read, and not with the frames of a JOIN', () => {
    const text = 'SELECT VALUE COUNT(1) FROM c'
    const documents = Array.from({ length: 4_000 }, () => ({ items }))
    // About 64 looks take 64 ms. Without documents, the limit would be 50 ms.
    expect(compiled(text, 50, exhausted()).execute(documents)).toEqual([4_000])
    const joined = `${text} JOIN i IN c.items`
    expect(() => compiled(joined, 50, exhausted()).execute(documents.slice(0, 100))).toThrow('runs longer')
  })

  it('begins again with each page', () => {
    const query = compiled('SELECT * FROM c WHERE c.none = 1', 3, exhausted())
    const reads = (count: number): void => {
      for (let index = 0; index < count; index += 1) query.rowsOf(document)
    }
    reads(150)
    query.beginPage()
    reads(150)
    expect(query.isTimeOver()).toBe(false)
    expect(() => {
      reads(150)
    }).toThrow('runs longer')
    expect(query.isTimeOver()).toBe(true)
  })
})

describe('the large values of a page', () => {
  const text = 'a'.repeat(1_000_000)
  const list = Array.from({ length: 100_000 }, () => 1)
  const large = { text, list, json: JSON.stringify(list), items: items.slice(0, 20) }
  const joined = 'FROM c JOIN i IN c.items JOIN j IN c.items'

  it.each([
    ['texts of a function', `SELECT VALUE UPPER(c.text) ${joined}`],
    ['texts of a function with two arguments', `SELECT VALUE LEFT(c.text, 999999) ${joined}`],
    ['texts of a function with three arguments', `SELECT VALUE SUBSTRING(c.text, 0, 999999) ${joined}`],
    ['joined texts', `SELECT VALUE c.text || "b" ${joined}`],
    ['texts of values', `SELECT VALUE ToString(c.list) ${joined} JOIN k IN c.items`],
    ['arrays', `SELECT VALUE ARRAY_SLICE(c.list, 0) ${joined}`],
    ['parsed texts', `SELECT VALUE STRINGTOARRAY(c.json) ${joined}`],
    ['sorted rows', `SELECT VALUE UPPER(c.text) ${joined} ORDER BY c.id`],
    ['the rows of DISTINCT', `SELECT DISTINCT c.text, i, j ${joined}`],
    ['the keys of GROUP BY', `SELECT COUNT(1) AS n ${joined} GROUP BY c.text, i, j`],
    ['the values of MAKESET', `SELECT i, j, MAKESET(c.text) AS texts ${joined} GROUP BY i, j`],
  ])('are refused if they are too many: %s', (_name, query) => {
    expect(() => compileQuery(query, []).execute([large])).toThrow('large values of more than')
  })

  it('may be more for many documents, and do not include small values', () => {
    const documents = Array.from({ length: 20_000 }, () => ({ text: 'a'.repeat(10_000) }))
    const counted = compileQuery('SELECT VALUE COUNT(1) FROM c WHERE ENDSWITH(UPPER(c.text), "A")', [])
    expect(counted.execute(documents)).toEqual([20_000])
    const small = { text: 'a'.repeat(1_000), items: Array.from({ length: 600 }, () => 1) }
    const query = compileQuery(`SELECT VALUE COUNT(UPPER(c.text)) ${joined}`, [])
    expect(query.execute([small])).toEqual([360_000])
  })

  it('end the page of a streaming query, and count again for the next page', () => {
    const query = compileQuery('SELECT VALUE UPPER(c.text) FROM c JOIN i IN c.items', [])
    const reads = (count: number): void => {
      for (let index = 0; index < count; index += 1) query.rowsOf(large)
    }
    reads(6)
    query.beginPage()
    reads(6)
    expect(query.isTimeOver()).toBe(false)
    expect(() => {
      reads(6)
    }).toThrow('large values')
    expect(query.isTimeOver()).toBe(true)
  })
})

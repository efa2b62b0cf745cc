import { expect, it } from 'vitest'
import { compileQuery, type CountedDocument } from '../../../../src/emulator/query/index.js'

const counted: readonly CountedDocument[] = [
  [{ state: 'ended', tags: ['a', 'b'], size: 2 }, 1_000],
  [{ state: 'waits', tags: [], size: 5 }, 1],
  [{ state: 'ended', tags: ['c'], size: 7 }, 3],
  [{ state: 'none' }, 2],
]

const repeated = counted.flatMap(([document, count]) => Array.from({ length: count }, () => document))

it.each([
  'SELECT VALUE COUNT(1) FROM c',
  "SELECT VALUE COUNT(1) FROM c WHERE c.state = 'ended'",
  'SELECT VALUE COUNT(c.size) FROM c',
  'SELECT VALUE COUNTIF(c.size > 2) FROM c',
  'SELECT SUM(c.size) AS sum, AVG(c.size) AS mean, MIN(c.size) AS low, MAX(c.size) AS high FROM c',
  'SELECT c.state, COUNT(1) AS count FROM c GROUP BY c.state',
  "SELECT MAKELIST(c.size) AS list, MAKESET(c.size) AS found FROM c WHERE c.state != 'none'",
  'SELECT VALUE COUNT(1) FROM c JOIN t IN c.tags',
  'SELECT VALUE COUNT(1) FROM t IN c.tags',
  'SELECT VALUE COUNT(1) FROM c.tags',
  'SELECT VALUE SUM((SELECT VALUE COUNT(1) FROM t IN c.tags)) FROM c',
  'SELECT DISTINCT VALUE c.state FROM c',
  'SELECT TOP 5 VALUE c.size FROM c ORDER BY c.size DESC',
])('a document that stands for equal ones counts as often as they do: %s', (text) => {
  const query = compileQuery(text, [])
  expect(query.executeCounted(counted)).toEqual(query.execute(repeated))
})

it('reads a document once, however many equal ones it stands for', () => {
  let reads = 0
  const document = Object.defineProperty({}, 'state', { enumerable: true, get: () => (reads += 1) })
  const query = compileQuery('SELECT VALUE COUNT(c.state) FROM c', [])
  expect(query.executeCounted([[document, 1_000_000]])).toEqual([1_000_000])
  expect(reads).toBe(1)
})

import { describe, expect, it } from 'vitest'
import { compileQuery, QueryError } from '../../../../src/emulator/query/index.js'

const documents = [
  { id: 'a', text: 'a red bicycle', vector: [1, 0] },
  { id: 'b', text: 'bicycles, bicycles and a red helmet for bicycles', vector: [0, 2] },
  { id: 'c', text: 'a blue car', vector: [3, 3] },
  { id: 'd', vector: 'none' },
  {
    id: 'e',
    text: 'the blue bicycle of a friend who also has a blue car and a blue boat',
    vector: [0.9, 0.1],
  },
]

function ids(query: string): unknown[] {
  const parameters = [
    { name: '@vector', value: [1, 0] },
    { name: '@word', value: 'blue' },
  ]
  return [...compileQuery(query, parameters).execute(documents)]
}

function refusal(query: string): string {
  try {
    ids(query)
  } catch (error) {
    if (error instanceof QueryError) return error.reason
    throw error
  }
  return 'answered'
}

describe('ORDER BY RANK', () => {
  it.each([
    ['FullTextScore(c.text, "bicycle")', ['b', 'a', 'e', 'c', 'd']],
    ['FullTextScore(c.text, "bicycle", "red")', ['a', 'b', 'e', 'c', 'd']],
    ['FullTextScore(c.text, @word)', ['c', 'e', 'a', 'b', 'd']],
    ['VectorDistance(c.vector, @vector)', ['a', 'e', 'c', 'b', 'd']],
    ['VectorDistance(c.vector, [0, 2], false, { distanceFunction: "euclidean" })', ['b', 'e', 'a', 'c', 'd']],
    ['RRF(FullTextScore(c.text, "blue"), VectorDistance(c.vector, @vector))', ['a', 'c', 'e', 'b', 'd']],
    [
      'RRF(FullTextScore(c.text, "blue"), VectorDistance(c.vector, @vector), [0, 1])',
      ['a', 'e', 'c', 'b', 'd'],
    ],
  ])('puts the best score first, and rows without a score last: %s', (score, expected) => {
    expect(ids(`SELECT VALUE c.id FROM c ORDER BY RANK ${score}`)).toEqual(expected)
  })

  it('ranks the rows that pass the filter, before TOP takes the first', () => {
    expect(
      ids('SELECT TOP 1 c.id FROM c WHERE c.id != "b" ORDER BY RANK FullTextScore(c.text, "bicycle")'),
    ).toEqual([{ id: 'a' }])
  })

  it('takes rare words from all documents of the container, not from those that it reads', () => {
    const query = compileQuery(
      'SELECT VALUE c.id FROM c ORDER BY RANK FullTextScore(c.text, "red", "blue")',
      [],
    )
    const read = [
      { id: 'a', text: 'red sky' },
      { id: 'b', text: 'blue sky' },
    ]
    const reds = [{ text: 'red' }, { text: 'red' }]
    const blues = [{ text: 'blue' }, { text: 'blue' }]
    expect(query.execute(read, [...read, ...reds])).toEqual(['b', 'a'])
    expect(query.execute(read, [...read, ...blues])).toEqual(['a', 'b'])
  })

  it.each([
    ['FullTextScore(LOWER(c.text), "a")', 'could not be mapped to a document path'],
    ['FullTextScore(c.text, c.word)', "'c' is not allowed here"],
    ['RRF(RRF(FullTextScore(c.text, "a")), FullTextScore(c.text, "b"))', 'not RRF'],
    ['LENGTH(c.text)', 'ORDER BY RANK takes a scoring function'],
    ['FullTextScore(c.text, 5)', 'A term of FullTextScore must be a string'],
    ['FullTextScore(c.text)', 'FULLTEXTSCORE function requires at least 2'],
    [
      'RRF(FullTextScore(c.text, "a"), FullTextScore(c.text, "b"), [1])',
      'The weights of RRF must be an array of 2',
    ],
  ])('rejects %s', (score, reason) => {
    expect(refusal(`SELECT * FROM c ORDER BY RANK ${score}`)).toContain(reason)
  })
})

describe('ORDER BY VectorDistance', () => {
  it('puts the most similar first, whatever the measure', () => {
    expect(ids('SELECT TOP 2 c.id FROM c ORDER BY VectorDistance(c.vector, @vector)')).toEqual([
      { id: 'a' },
      { id: 'e' },
    ])
  })

  it('rejects DESC', () => {
    expect(refusal('SELECT * FROM c ORDER BY VectorDistance(c.vector, @vector) DESC')).toContain('omit DESC')
  })
})

it('`rank` may still be the name of a source', () => {
  expect([...compileQuery('SELECT VALUE rank.id FROM rank ORDER BY rank.id', []).execute(documents)]).toEqual(
    ['a', 'b', 'c', 'd', 'e'],
  )
})

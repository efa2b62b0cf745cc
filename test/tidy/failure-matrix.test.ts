import { describe, expect, it } from 'vitest'
import { unknownRows, untestedRows } from './failure-matrix.js'
import { isTest, readRepository, sourcesOf } from './repository.js'
import { example } from './source.js'

const matrix = {
  path: 'docs/matrix.md',
  text: '| id | concerns | meaning |\n| --- | --- | --- |\n| F-Z1 | jobs, reader | Crash. |\n| I99 | reader | Order. |\n| F-Z2 | jobs | Pause. |\n',
}

function judge(text: string): string[] {
  return untestedRows(matrix, [example('test/unit/a.test.ts', text)], { 'F-Z2': 'is not built' })
}

describe('the check of the failure matrix', () => {
  it.each([
    `it('reads on (F-Z1, I99)', run)`,
    `describe('I99', () => { it('F-Z1 reads on', run) })`,
    `it.each([['F-Z1 crash', 1], ['I99 order', 2]])('%s', run)`,
    'it(`F-Z1 and I99 of ${name}`, run)',
  ])('counts a row as tested by %s', (text) => {
    expect(judge(text)).toEqual([])
  })

  it.each([
    `// F-Z1 and I99`,
    `it('reads on', () => { expect(text).toBe('F-Z1 I99') })`,
    `const rows = ['F-Z1', 'I99']`,
    `it('F-Z10 I990', run)`,
  ])('reports rows whose only mention is %s', (text) => {
    expect(judge(text)).toHaveLength(2)
  })

  it('reports ids that it does not list', () => {
    const source = example('test/unit/a.test.ts', `it('F-Z1 and F-Z3', run)`)
    expect(unknownRows([matrix], [source])).toEqual([
      expect.stringContaining('F-Z3 is not in docs/matrix.md'),
    ])
  })

  it('reports an excuse for a row that does not exist', () => {
    const source = example('test/unit/a.test.ts', `it('F-Z1 F-Z2 I99', run)`)
    expect(untestedRows(matrix, [source], { 'F-Z9': 'gone' })).toEqual([
      expect.stringContaining('F-Z9 is excused'),
    ])
  })

  it('finds a test for each of our rows, and no unknown id in any test (R128, R129)', () => {
    const files = readRepository()
    const paper = (path: string) => {
      const found = files.find((file) => file.path === path)
      if (found === undefined) throw new RangeError(`${path} is missing`)
      return found
    }
    const stored = paper('docs/failure-matrix.md')
    const others = ['docs/requirements.md', 'docs/processor-behaviour.md'].map(paper)
    const sources = sourcesOf(files.filter(isTest)).filter(({ path }) => !path.startsWith('test/tidy/'))
    expect(unknownRows([stored, ...others], sources)).toEqual([])
    expect(untestedRows(stored, sources)).toEqual([])
  })
})

import { expect, it } from 'vitest'
import { isTest, readRepository, sourcesOf } from '../tidy/repository.js'
import { example } from '../tidy/source.js'
import { excusesOf, trace, traceText, untested } from './trace.js'

const lists = [
  { path: 'docs/a.md', text: '| id | meaning |\n| R1 | It runs. |\n| R2 | It stops. |\n' },
  { path: 'docs/b.md', text: '| F-A1 | agent | An agent. |\n' },
]
const sources = [
  example('test/b.test.ts', `it('R1: runs, F-A1', run)`),
  example('test/a.test.ts', `describe('R1', () => { it('runs', () => { expect(text).toBe('R2') }) })`),
]

it('the trace lists for each id the files whose tests name it', () => {
  expect(trace(lists, sources)).toEqual([
    { id: 'R1', tests: ['test/a.test.ts', 'test/b.test.ts'] },
    { id: 'R2', tests: [] },
    { id: 'F-A1', tests: ['test/b.test.ts'] },
  ])
})

it('the trace ends with the ids that no test names', () => {
  const text = traceText(trace(lists, sources))
  expect(text).toContain('R1     test/a.test.ts\n       test/b.test.ts')
  expect(text).toMatch(/3 ids: 2 with tests, 0 with a reason instead, 1 with neither: R2$/)
})

it('the trace shows the reason if an id needs no test', () => {
  const text = traceText(trace(lists, sources), { R2: 'nothing stops' })
  expect(text).toContain('R2     - nothing stops')
  expect(text).toMatch(/3 ids: 2 with tests, 1 with a reason instead, 0 with neither$/)
})

it('the trace reads reasons from the fourth column of a line, and compares whole ids', () => {
  const list = {
    path: 'docs/c.md',
    text: '| B1 | It waits. | theirs | |\n| B12 | It sings. | theirs | no voice |\n',
  }
  expect(excusesOf([list])).toMatchObject({ B12: 'no voice' })
  expect(excusesOf([list])).not.toHaveProperty('B1')
  const named = (title: string) => trace([list], [example('test/c.test.ts', `it('${title}', run)`)])
  expect(untested(named('B12: sings'), {})).toEqual(['B1'])
  expect(untested(named('B1, waits'), {})).toEqual(['B12'])
  expect(untested(named('B123 F-B1'), {})).toEqual(['B1', 'B12'])
})

it('every behaviour has either a test or a reason for having none', () => {
  const files = readRepository()
  const lists = files.filter(({ path }) => path === 'docs/processor-behaviour.md')
  const reasons = excusesOf(lists)
  const behaviours = trace(lists, sourcesOf(files.filter(isTest)))
  expect(behaviours.length).toBeGreaterThan(350)
  expect(untested(behaviours, reasons)).toEqual([])
  expect(behaviours.filter(({ id, tests }) => tests.length > 0 && reasons[id] !== undefined)).toEqual([])
})

it('every requirement has a test, or a reason for having none', () => {
  const files = readRepository()
  const paper = files.filter(({ path }) => path === 'docs/requirements.md')
  const requirements = trace(paper, sourcesOf(files.filter(isTest))).filter(({ id }) => id.startsWith('R'))
  expect(requirements).toHaveLength(178)
  expect(untested(requirements)).toEqual([])
})

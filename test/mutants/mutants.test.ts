import { describe, expect, it } from 'vitest'
import { readRepository } from '../tidy/repository.js'
import { decisionFiles, guards } from './decision-files.js'
import { strykerPlugins } from './prose.js'
import { survivors } from './survivors.js'
import { scoreOf, verdictOn, type MutantResult } from './verdict.js'

describe('the mutation list', () => {
  const files = new Map(readRepository().map(({ path, text }) => [path, text]))
  const linesOf = (path: string): string[] => (files.get(path) ?? '').split('\n').map((line) => line.trim())

  it('names existing files and tests', () => {
    const named = [...decisionFiles, ...guards].flatMap(({ path, tests }) => [path, ...tests])
    expect(named.filter((path) => !files.has(path))).toEqual([])
  })

  it('names lines that occur once', () => {
    const all = guards.flatMap(({ path, lines = [] }) => lines.map((line) => ({ path, line })))
    expect(
      all.filter(({ path, line }) => linesOf(path).filter((text) => text === line).length !== 1),
    ).toEqual([])
  })

  it('names surviving mutants in existing lines only', () => {
    const gone = survivors.flatMap(({ path, mutants }) =>
      mutants.filter(([line]) => !linesOf(path).includes(line)).map(([line]) => `${path}: ${line}`),
    )
    expect(gone).toEqual([])
  })
})

describe('the filter of prose', () => {
  const { shouldIgnore } = strykerPlugins[0]?.value ?? { shouldIgnore: () => undefined }
  const text = (value: string): { node: { type: string; value: string } } => ({
    node: { type: 'StringLiteral', value },
  })

  it.each(['no such step', 'step "', 'is not a number, '])('prevents mutants of %s', (words) => {
    const template = { node: { type: 'TemplateLiteral', quasis: [{ value: { raw: words } }] } }
    expect(shouldIgnore(words.endsWith('"') ? template : text(words))).toBe('words for people')
  })

  it.each(['Processed', 'g1/do', ', ', '/'])('allows mutants of %s', (value) => {
    expect(shouldIgnore(text(value))).toBeUndefined()
  })
})

describe('a mutation run', () => {
  const mutant = (status: string, becomes: string): MutantResult => {
    return { path: 'a.ts', status, line: 'if (a) b()', lineNumber: 7, code: 'a', becomes }
  }
  const results = [mutant('Killed', 'true'), mutant('Timeout', 'b'), mutant('Survived', 'false')]
  const listed = [{ path: 'a.ts', reason: 'r', mutants: [['if (a)  b()', 'a', 'false']] as const }]

  it('fails for a survivor that is not listed, and for a listed mutant that is caught', () => {
    expect(verdictOn('a.ts', results, listed)).toMatchObject({ caught: 2, unlisted: [], obsolete: [] })
    expect(verdictOn('a.ts', results, []).unlisted).toEqual([mutant('Survived', 'false')])
    expect(verdictOn('a.ts', [mutant('Killed', 'false')], listed).obsolete).toHaveLength(1)
    expect(verdictOn('a.ts', results.slice(0, 2), listed).obsolete).toHaveLength(1)
  })

  it('keeps a listed mutant whose tests took too long', () => {
    expect(verdictOn('a.ts', [mutant('Timeout', 'false')], listed).obsolete).toEqual([])
  })

  it('computes the share of caught mutants among all, including those without a test', () => {
    expect(scoreOf([verdictOn('a.ts', results, listed)])).toBeCloseTo(66.7, 1)
    expect(scoreOf([verdictOn('a.ts', [...results, mutant('NoCoverage', 'c')], [])])).toBe(50)
  })
})

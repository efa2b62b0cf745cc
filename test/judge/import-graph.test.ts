import { describe, expect, it } from 'vitest'
import { importsOf, resolveImport } from '../tidy/imports.js'
import { readRepository, sourcesOf } from '../tidy/repository.js'
import { bugs } from './bugs.js'
import { withBug } from './runs/broken-module.js'

const files = readRepository()
const folder = 'test/judge/rules/'

describe('the rules of the judge', () => {
  it('import only Node and their own folder', () => {
    const own = sourcesOf(files.filter(({ path }) => path.startsWith(folder)))
    expect(own.map(({ path }) => path)).toContain(`${folder}index.ts`)
    const others = own.flatMap((source) =>
      importsOf(source)
        .map(({ specifier }) => resolveImport(source.path, specifier) ?? specifier)
        .filter((place) => !place.startsWith(folder) && !place.startsWith('node:'))
        .map((place) => `${source.path}: ${place}`),
    )
    expect(others).toEqual([])
  })
})

describe('the seeded bugs', () => {
  it('each replace a text that occurs once', () => {
    const texts = new Map(files.map(({ path, text }) => [path, text]))
    for (const bug of bugs)
      expect(withBug(texts.get(bug.path) ?? '', bug), bug.name).not.toBe(texts.get(bug.path))
    expect(new Set(bugs.map(({ name }) => name)).size).toBe(bugs.length)
    expect(bugs.length).toBeGreaterThanOrEqual(20)
  })
})

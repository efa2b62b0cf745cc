import { describe, expect, it } from 'vitest'
import {
  deadLinks,
  isInstruction,
  isPacked,
  machinePaths,
  missingScripts,
  missingTargets,
  pinnedRegistries,
} from './papers.js'

const manifest = {
  exports: {
    '.': { types: './dist/src/index.d.ts', default: './dist/src/index.js' },
    './package.json': './package.json',
  },
  bin: { stepward: 'dist/src/cli/main.js' },
  scripts: {},
  files: ['dist/src'],
}

describe('targets of package.json', () => {
  const present = ['src/index.ts', 'package.json', 'src/cli/main.ts']
  const without = (path: string): Set<string> => new Set(present.filter((other) => other !== path))

  it('are compiled from a source that exists', () => {
    expect(missingTargets(manifest, new Set(present))).toEqual([])
  })

  it.each([
    ['src/index.ts', 2],
    ['package.json', 1],
    ['src/cli/main.ts', 1],
  ])('are reported when %s is missing', (path, count) => {
    const found = missingTargets(manifest, without(path))
    expect(found).toHaveLength(count)
    expect(found[0]).toContain(`${path}, which does not exist`)
  })
})

describe('links', () => {
  const there = new Set(['README.md', 'docs/a.md', 'docs/deep/b.md'])
  const dead = (path: string, text: string): string[] =>
    deadLinks({ path, text }, (target) => there.has(target))

  it('are resolved from the folder of their page', () => {
    expect(dead('README.md', '[a](docs/a.md) and [b](docs/deep/b.md#part)')).toEqual([])
    expect(dead('docs/deep/b.md', '[up](../a.md), [top](../../README.md), [here](#part)')).toEqual([])
    expect(dead('README.md', '[elsewhere](https://shop.example/a.md)')).toEqual([])
  })

  it('are reported when their target does not exist', () => {
    expect(dead('docs/a.md', '[b](b.md) [c](deep/c.md#x)')).toEqual([
      'docs/a.md: b.md is not there',
      'docs/a.md: deep/c.md is not there',
    ])
  })

  it('may lead to files that are packed', () => {
    const files = ['docs', 'CHANGELOG.md']
    expect(
      ['README.md', 'docs/deep/b.md', 'CHANGELOG.md'].filter((path) => !isPacked(path, { files })),
    ).toEqual([])
    expect(['docs-of-others/a.md', 'CONTRIBUTING.md'].filter((path) => isPacked(path, { files }))).toEqual([])
  })
})

describe('npm scripts named in papers', () => {
  const scripts = { test: 'vitest run', start: 'node .', 'test:unit': 'vitest run test/unit' }
  const judge = (text: string): string[] => missingScripts({ path: 'README.md', text }, scripts)

  it('are accepted when they exist', () => {
    expect(
      judge('npm ci && npm test -- --coverage, npm start, npm run test:unit, npm run --silent test'),
    ).toEqual([])
  })

  it.each([
    'npm run simulate -- --seed 1',
    'npm run --silent simulate',
    'npm --silent run simulate',
    'npm run ci',
  ])('are reported when they do not exist: %s', (text) => {
    expect(judge(text)).toEqual([expect.stringMatching(/^README\.md: npm script "(simulate|ci)" is not in/)])
  })

  it('are reported when the scripts of short forms are missing', () => {
    expect(missingScripts({ path: 'README.md', text: 'npm test\nnpm start' }, {})).toHaveLength(2)
  })

  it('are looked for in files with instructions', () => {
    const paths = ['README.md', 'docs/adr/0001.md', 'azure-pipelines.yml', '.ci/run', 'package.json']
    expect(paths.filter((path) => !isInstruction({ path, text: '' }))).toEqual([])
    expect(isInstruction({ path: 'test/tidy/papers.test.ts', text: '' })).toBe(false)
  })
})

describe('addresses and paths', () => {
  it('of one package registry are found in a lock file', () => {
    const text = '{\n  "version": "1.0.0",\n  "resolved": "https://registry/a.tgz"\n}'
    expect(pinnedRegistries({ path: 'package-lock.json', text })).toEqual([
      expect.stringContaining('package-lock.json:3: '),
    ])
  })

  // Built from parts, because this file is searched too.
  const machine = (...parts: readonly string[]): string => ['', ...parts].join('/')

  it.each([
    machine('home', 'ann', 'stepward'),
    machine('Users', 'ann', 'stepward'),
    ['C:', 'Users', 'ann'].join('\\'),
    machine('root', '.npmrc'),
    machine('srv', 'build', 'stepward', 'src'),
  ])('of one machine are found: %s', (place) => {
    const files = [{ path: 'docs/a.md', text: `first\nsee "${place}"\n` }]
    expect(machinePaths(files, machine('srv', 'build', 'stepward', ''))).toEqual([
      expect.stringMatching(/^docs\/a\.md:2: .* is a place on one machine$/),
    ])
  })

  it.each([
    'https://example.test/home/page',
    'src/home/page.ts',
    machine('home', 'site', 'wwwroot'),
    machine('dbs', 'orders', 'colls'),
    machine('app', 'index.js'),
  ])('of other kinds are allowed: %s', (place) => {
    expect(machinePaths([{ path: 'docs/a.md', text: place }], '/app/')).toEqual([])
  })
})

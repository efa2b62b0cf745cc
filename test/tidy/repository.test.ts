import { describe, expect, it } from 'vitest'
import { bannedGlobals } from './banned-globals.js'
import {
  deadLinks,
  isInstruction,
  isPacked,
  machinePaths,
  missingScripts,
  missingTargets,
  pinnedRegistries,
  type Manifest,
} from './papers.js'
import { ignoreRules, isProduct, isTest, readRepository, root, sourcesOf } from './repository.js'
import { emptyNamesIn, fullFolders, longFiles, longFunctions } from './shape.js'
import { idleTests, sleepingTests } from './test-discipline.js'

interface Dependencies {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

const files = readRepository()
const sources = sourcesOf(files)
const product = sources.filter(isProduct)
const tests = sources.filter(isTest)

describe('the repository', () => {
  it('is read with its sources, tests and scripts', () => {
    expect(product.map(({ path }) => path)).toContain('src/platform/clock.ts')
    expect(tests.map(({ path }) => path)).toContain('test/tidy/repository.test.ts')
    expect(files.map(({ path }) => path)).toContain('.ci/run')
  })

  it('packs every page that a packed page links to', () => {
    const manifest = JSON.parse(textOf('package.json')) as Manifest
    const packed = files.filter(({ path }) => isPacked(path, manifest))
    const paths = new Set(packed.map(({ path }) => path))
    expect(paths).toContain('docs/README.md')
    const folders = new Set(packed.map(({ path }) => path.slice(0, path.lastIndexOf('/'))))
    const isThere = (path: string): boolean => paths.has(path) || folders.has(path)
    const pages = packed.filter(({ path }) => path.endsWith('.md'))
    expect(pages.flatMap((page) => deadLinks(page, isThere))).toEqual([])
  })

  it('uses clocks, timers, chance and the environment only where that is allowed', () => {
    expect(bannedGlobals(product)).toEqual([])
  })

  it('keeps files, functions and folders small, and gives them telling names', () => {
    expect([
      ...longFiles(sources),
      ...longFunctions(product),
      ...fullFolders(product),
      ...emptyNamesIn(files),
    ]).toEqual([])
  })

  it('has tests that all run, can fail and never sleep', () => {
    expect([...idleTests(tests), ...sleepingTests(tests)]).toEqual([])
  })

  it('has the required packages and layout (R175)', () => {
    const manifest = JSON.parse(textOf('package.json')) as Manifest & Dependencies
    expect(Object.keys(manifest.dependencies)).toEqual(
      expect.arrayContaining(['@azure/cosmos', '@azure/identity', 'commander']),
    )
    expect(Object.keys(manifest.devDependencies)).toEqual(expect.arrayContaining(['vitest', 'typescript']))
    const top = new Set(files.map(({ path }) => path.split('/')[0]))
    const wanted = ['package.json', 'src', 'lease-store', 'samples', 'test', 'azure-pipelines.yml']
    expect(wanted.filter((name) => !top.has(name))).toEqual([])
    const page = /^src\/(emulator\/explorer\/page|page\/browser)\/.+\.(js|json)$/
    const others = product.filter(({ path }) => !path.endsWith('.ts') && !page.test(path))
    expect(others.map(({ path }) => path)).toEqual([])
  })

  it('has a source for each target, and each npm script that its documents name', () => {
    const manifest = JSON.parse(textOf('package.json')) as Manifest
    expect(missingTargets(manifest, new Set(files.map(({ path }) => path)))).toEqual([])
    expect(files.filter(isInstruction).flatMap((file) => missingScripts(file, manifest.scripts))).toEqual([])
  })

  it('states its origin in package.json, and packs no source maps', () => {
    const manifest = JSON.parse(textOf('package.json')) as Manifest & Readonly<Record<string, unknown>>
    for (const field of ['repository', 'homepage', 'bugs', 'keywords', 'license']) {
      expect(manifest[field], field).toBeDefined()
    }
    expect(isPacked('src/index.ts', manifest), 'sources').toBe(false)
    expect(textOf('tsconfig.json') + textOf('tsconfig.build.json')).not.toMatch(/sourceMap|inlineSources/i)
    // A later entry would include maps of an earlier build again.
    expect(manifest.files.at(-1)).toBe('!dist/**/*.map')
  })

  it('never retries a test', () => {
    const settings = ['vitest.config.ts', 'vitest.long.config.ts'].map(textOf)
    expect([...settings, textOf('package.json'), textOf('azure-pipelines.yml')].join('\n')).not.toMatch(
      /\bretry:|vitest.*--retry/u,
    )
  })

  it('publishes test results and coverage from the pipeline', () => {
    const pipeline = textOf('azure-pipelines.yml')
    const written = /junit: '([^']+)'/.exec(textOf('vitest.config.ts'))?.[1]
    expect(pipeline).toContain(`testResultsFiles: ${written ?? 'a JUnit report'}\n`)
    expect(pipeline).toContain('summaryFileLocation: coverage/cobertura-coverage.xml\n')
    expect(textOf('vitest.config.ts')).toContain("'cobertura'")
  })

  it('installs from any registry, and names no path of one machine', () => {
    expect(pinnedRegistries({ path: 'package-lock.json', text: textOf('package-lock.json') })).toEqual([])
    expect(machinePaths(files, root)).toEqual([])
  })
})

describe('reading the repository', () => {
  it('leaves out files that .gitignore names', () => {
    const isIgnored = ignoreRules('# built\nnode_modules/\n/dist/\n\n*.log\n')
    expect(['node_modules', 'dist', 'debug.log'].filter((name) => !isIgnored(name))).toEqual([])
    expect(['src', 'src/dist', 'dist.ts', 'log', '# built'].filter(isIgnored)).toEqual([])
  })
})

function textOf(path: string): string {
  return files.find((file) => file.path === path)?.text ?? ''
}

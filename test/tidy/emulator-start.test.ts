import { posix } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { importsOf, resolveImport } from './imports.js'
import type { Source } from './source.js'
import { isProduct, readRepository, sourcesOf } from './repository.js'

const product = sourcesOf(readRepository().filter(isProduct))
const sources = new Map(product.map((source) => [source.path, source]))

/** The file that loads the library of the query parser. */
const parser = 'src/emulator/query/language/parser-library.ts'

/** Packages and files that take longer to load than an emulator may take to start. */
const slow = ['@azure/cosmos', parser]

/** Returns all packages and files of this repository that are loaded with a file, before any of its functions runs. */
function allLoadedWith(path: string): ReadonlySet<string> {
  const { packages, seen } = loadedWith(path)
  return new Set([...packages, ...seen])
}

/** Returns all files of this repository that are loaded with a file. */
function filesLoadedWith(path: string): readonly string[] {
  return [...loadedWith(path).seen]
}

/** What each file loads itself. Files are read once, because many commands load the same ones. */
const known = new Map<Source, readonly string[]>()

function loadedBy(source: Source): readonly string[] {
  const specifiers =
    known.get(source) ??
    importsOf(source)
      .filter(({ node, isTypeOnly }) => !isTypeOnly && !ts.isCallExpression(node))
      .map(({ specifier }) => specifier)
  known.set(source, specifiers)
  return specifiers
}

function loadedWith(path: string): { readonly packages: Set<string>; readonly seen: Set<string> } {
  const packages = new Set<string>()
  const seen = new Set<string>()
  const open = [path]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const source = sources.get(next)
    if (seen.has(next) || source === undefined) continue
    seen.add(next)
    for (const specifier of loadedBy(source)) {
      const file = resolveImport(next, specifier)
      if (file === null) packages.add(specifier)
      else open.push(posix.normalize(file).replace(/\.js$/, '.ts'))
    }
  }
  return { packages, seen }
}

it('`stepward emulator` loads neither the SDK nor the query parser when it starts', () => {
  const loaded = allLoadedWith('src/cli/commands/store/emulator.ts')
  expect(loaded).toContain('node:http')
  expect(slow.filter((name) => loaded.has(name))).toEqual([])
  expect(allLoadedWith('src/cli/commands/store/dev.ts')).toContain('@azure/cosmos')
  expect(allLoadedWith('src/emulator/query/index.ts')).toContain(parser)
})

it.each(['instances/start', 'jobs/list', 'jobs/status', 'operations/leases'])(
  '`stepward %s` loads nothing of the embedded store',
  (command) => {
    const loaded = allLoadedWith(`src/cli/commands/${command}.ts`)
    expect(loaded.size).toBeGreaterThan(0)
    expect(['lmdb', parser, 'selfsigned'].filter((name) => loaded.has(name))).toEqual([])
  },
)

it('a process that is attached to a store loads nothing of its engine', () => {
  const isOfEngine = (path: string): boolean =>
    /^src\/emulator\/(?!attach\/|engine\/values\/|durability\/directory-lock)/.test(path)
  expect(filesLoadedWith('src/engine-ports/index.ts').some(isOfEngine)).toBe(true)
  const attaching = ['src/emulator/attach/attached-account.ts', 'src/engine-ports/internal.ts']
  const loaded = attaching.flatMap((path) => filesLoadedWith(path))
  expect(loaded).toEqual(expect.arrayContaining(attaching))
  expect(loaded.filter(isOfEngine)).toEqual([])
})

it('the program loads no large package before it knows which command it runs', () => {
  const loaded = allLoadedWith('src/cli/main.ts')
  expect(loaded).toContain('commander')
  expect([...slow, 'zod', '@azure/identity', 'lmdb'].filter((name) => loaded.has(name))).toEqual([])
})

it('only `stepward page` loads the page', () => {
  const isPage = (path: string): boolean => path.startsWith('src/page/')
  expect(filesLoadedWith('src/cli/commands/operations/page.ts').some(isPage)).toBe(true)
  const commands = product.map(({ path }) => path).filter((path) => path.startsWith('src/cli/commands/'))
  const others = commands.filter((path) => !path.endsWith('/operations/page.ts'))
  const loading = ['src/cli/main.ts', ...others].filter((path) => filesLoadedWith(path).some(isPage))
  expect(loading).toEqual([])
})

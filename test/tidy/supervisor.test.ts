import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importsOf, resolveImport } from './imports.js'
import { isProduct, readRepository, sourcesOf } from './repository.js'
import type { Source } from './source.js'

const product = new Map(
  sourcesOf(readRepository())
    .filter(isProduct)
    .map((source) => [source.path, source]),
)

/**
 * Returns everything that is loaded with a file: our modules by path, packages and built-in modules by name.
 */
function loadedWith(path: string): ReadonlySet<string> {
  const loaded = new Set<string>()
  const open = [path]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (loaded.has(next)) continue
    loaded.add(next)
    open.push(...runtimeImports(product.get(next)))
  }
  return loaded
}

function runtimeImports(source: Source | undefined): string[] {
  if (source === undefined) return []
  return importsOf(source)
    .filter(({ isTypeOnly }) => !isTypeOnly)
    .map(({ specifier }) => resolveImport(source.path, specifier)?.replace(/\.js$/, '.ts') ?? specifier)
}

describe('the supervisor', () => {
  const loaded = loadedWith('src/sas/supervisor/supervisor.ts')

  it('loads the modules that its imports reach', () => {
    expect([...loaded]).toEqual(
      expect.arrayContaining(['src/sas/decisions/recover-step.ts', 'src/sas/model/work.ts']),
    )
    expect(loadedWith('src/sas/agents/agents.ts')).toContain('src/sas/agents/attempts/attempt.ts')
  })

  it('loads nothing that dispatches a step or runs a handler (R99, R101)', () => {
    const others = ['schedule', 'dispatch', 'compensate', 'scheduler', 'agent', 'agents', 'attempt']
    const named = (paths: Iterable<string>) => new Set([...paths].map((path) => basename(path, '.ts')))
    expect(others.filter((name) => !named(product.keys()).has(name))).toEqual([])
    expect(others.filter((name) => named(loaded).has(name))).toEqual([])
  })

  it('loads nothing that watches or starts processes (R102)', () => {
    const control = [...loaded].filter((name) =>
      /child_process|cluster|worker_threads|^src\/(host|fleet)\//.test(name),
    )
    expect(control).toEqual([])
    expect([...loadedWith('src/fleet/instance.ts')].join(' ')).toMatch(/child_process/)
  })
})

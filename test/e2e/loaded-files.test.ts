import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './doc-page.js'

const dist = join(root, 'dist/src')

/** The files that an import of these files loads at once. Files of `import()` are loaded later, or not at all. */
function loadedBy(...entries: readonly string[]): { readonly files: string[]; readonly packages: string[] } {
  const files = new Set<string>()
  const packages = new Set<string>()
  const visit = (path: string): void => {
    if (files.has(path)) return
    files.add(path)
    const imported = readFileSync(path, 'utf8').matchAll(
      /^(?:import|export) (?:[^'"]* from )?["']([^'"]+)["'];$/gm,
    )
    for (const [, specifier = ''] of imported) {
      if (specifier.startsWith('.')) visit(join(dirname(path), specifier))
      else if (!specifier.startsWith('node:')) packages.add(specifier)
    }
  }
  for (const entry of entries) visit(join(dist, entry))
  return { files: [...files].map((path) => relative(dist, path)), packages: [...packages] }
}

/** Returns the files of a command: `main.js`, and the file that `main.js` imports when the command is called. */
function loadedFor(command: string): ReturnType<typeof loadedBy> {
  const path = join('chunks', `${command}.js`)
  expect(existsSync(join(dist, path)), path).toBe(true)
  return loadedBy('cli/main.js', path)
}

describe('a command loads few files, and not the SDK', () => {
  it.each(['cost', 'list', 'status', 'start', 'fleet'])('%s', (command) => {
    const { files, packages } = loadedFor(command)
    expect(files.length).toBeGreaterThan(3)
    expect(files.length).toBeLessThan(60)
    expect(files).not.toContain('chunks/cosmos-own-sdk.js')
    expect(packages).not.toContain('@azure/cosmos')
    expect(packages.toSorted().join(' ')).toBe(
      packages.includes('@opentelemetry/api') ? '@opentelemetry/api' : '',
    )
  })
})

it('the package itself does not load the SDK before it makes a client', () => {
  const { files, packages } = loadedBy('index.js')
  expect([...files, ...packages].filter((name) => /cosmos-own-sdk|@azure/.test(name))).toEqual([])
})

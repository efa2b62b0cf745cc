import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundle } from '../../../bundle.js'

/** A bug that replaces a text that occurs once in a source file. */
export interface Bug {
  readonly name: string
  /** The path of the source from the root of the repository. */
  readonly path: string
  readonly code: string
  readonly broken: string
}

/** Returns the source with the bug. */
export function withBug(source: string, { name, path, code, broken }: Bug): string {
  if (source.split(code).length !== 2)
    throw new RangeError(`${name}: ${path} does not have exactly once: ${code}`)
  return source.replace(code, () => broken)
}

/**
 * Returns Node options that give a process the bug: they load the files of the build from another folder, into
 * which the program was built with the bug. Neither source nor build changes.
 */
export async function optionsWith(bug: Bug, root: string): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'stepward-bug-'))
  const path = join(root, bug.path)
  const outDir = join(directory, 'dist')
  const plugin = {
    name: 'bug',
    transform: (code: string, id: string) => (id === path ? withBug(code, bug) : null),
  }
  await bundle({ root, outDir, plugins: [plugin] })
  const hook = join(directory, 'hook.mjs')
  writeFileSync(hook, hookText(pathToFileURL(join(root, 'dist', '/')).href, outDir))
  const register = `import { register } from 'node:module'; register(${JSON.stringify(pathToFileURL(hook).href)})`
  return ['--import', `data:text/javascript,${encodeURIComponent(register)}`]
}

/** Returns a loader hook as text, because it runs before any of our modules is loaded. */
function hookText(dist: string, outDir: string): string {
  return `import { readFileSync } from 'node:fs'
import { join } from 'node:path'
const dist = ${JSON.stringify(dist)}
export async function load(url, context, next) {
  const path = url.slice(dist.length)
  if (!url.startsWith(dist) || !/^(src|lease-store)\\//.test(path)) return next(url, context)
  const source = readFileSync(join(${JSON.stringify(outDir)}, path), 'utf8')
  return { format: 'module', source, shortCircuit: true }
}
`
}

/** Returns the root of the repository, found from a file of its build. */
export function rootFrom(moduleUrl: string): string {
  for (let directory = fileURLToPath(new URL('.', moduleUrl)); ; directory = join(directory, '..')) {
    try {
      readFileSync(join(directory, 'package-lock.json'))
      return directory
    } catch (error) {
      if (directory === '/') throw error
    }
  }
}

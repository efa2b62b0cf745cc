import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import ts from 'typescript'

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
 * Returns Node options that give a process the bug: they load one module of the build from another file.
 * Neither source nor build changes.
 */
export function optionsWith(bug: Bug, root: string): readonly string[] {
  const source = withBug(readFileSync(join(root, bug.path), 'utf8'), bug)
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    },
  })
  const directory = mkdtempSync(join(tmpdir(), 'stepward-bug-'))
  const file = join(directory, 'module.js')
  writeFileSync(file, outputText)
  const url = pathToFileURL(join(root, 'dist', bug.path.replace(/\.ts$/, '.js'))).href
  const hook = join(directory, 'hook.mjs')
  writeFileSync(hook, hookText(url, file))
  const register = `import { register } from 'node:module'; register(${JSON.stringify(pathToFileURL(hook).href)})`
  return ['--import', `data:text/javascript,${encodeURIComponent(register)}`]
}

/** Returns a loader hook as text, because it runs before any of our modules is loaded. */
function hookText(url: string, file: string): string {
  return `import { readFileSync } from 'node:fs'
const source = readFileSync(${JSON.stringify(file)}, 'utf8')
export async function load(url, context, next) {
  if (url !== ${JSON.stringify(url)}) return next(url, context)
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

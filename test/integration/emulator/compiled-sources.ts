import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The rooms that the emulator needs. */
const rooms = ['src/emulator', 'src/platform']

/**
 * Compiles the sources, and `script` beside this file, before the tests of a suite, so that another process
 * can run them without a build. Removes them after the suite. The directory lies inside the repository, so
 * that packages are found.
 *
 * @returns a function that returns the path of the script
 */
export function compiledScript(script: string): () => string {
  const from = dirname(fileURLToPath(import.meta.url))
  let target = ''
  beforeAll(() => {
    mkdirSync(join(root, '.stepward'), { recursive: true })
    target = mkdtempSync(join(root, '.stepward', 'compiled-'))
    const sources = rooms.flatMap((room) => filesIn(join(root, room)))
    for (const source of [...sources, join(from, script)]) {
      const { outputText } = ts.transpileModule(readFileSync(source, 'utf8'), {
        compilerOptions: {
          target: ts.ScriptTarget.ES2023,
          module: ts.ModuleKind.ESNext,
          verbatimModuleSyntax: true,
        },
      })
      const file = join(target, relative(root, source).replace(/\.ts$/u, '.js'))
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, outputText)
    }
  })
  afterAll(() => {
    rmSync(target, { recursive: true })
  })
  return () => join(target, relative(root, from), script.replace(/\.ts$/u, '.js'))
}

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(directory, name))
}

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Rooms that the emulator stands on. */
const rooms = ['src/emulator', 'src/platform']

/**
 * Translates the sources, and `script` beside this file, so that a process of its own can run them without a build.
 * Answers where the script is. The directory lies inside the repository, so that packages are found.
 */
export function compiledScript(script: string): string {
  mkdirSync(join(root, '.stepward'), { recursive: true })
  const target = mkdtempSync(join(root, '.stepward', 'compiled-'))
  const from = dirname(fileURLToPath(import.meta.url))
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
  return join(target, relative(root, from), script.replace(/\.ts$/u, '.js'))
}

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(directory, name))
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, onTestFinished } from 'vitest'
import { root } from './doc-page.js'
import { run } from './processes.js'

/** Runs an example of a page, which must succeed, and returns what it prints. */
export async function printed(code = ''): Promise<string> {
  // Inside the package, so that its own name resolves.
  mkdirSync(join(root, '.stepward'), { recursive: true })
  const directory = mkdtempSync(join(root, '.stepward', 'docs-'))
  onTestFinished(() => {
    rmSync(directory, { recursive: true })
  })
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  })
  const script = join(directory, 'example.mjs')
  writeFileSync(script, outputText)
  const { code: exitCode, stdout, stderr } = await run(script, [])
  expect(exitCode, stderr).toBe(0)
  expect(stderr).not.toMatch(/Error/u)
  return stdout
}

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it, onTestFinished } from 'vitest'
import { run } from './processes.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = readFileSync(join(root, 'docs/testing-your-workflow.md'), 'utf8')
const [withBug, withoutBug] = [...page.matchAll(/^```ts\n(.*?)^```$/gmsu)].map(([, code]) => code ?? '')

/** What an example of the page prints. */
async function printed(code = ''): Promise<string> {
  // Inside the package, so that its own name is found.
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
  return stdout
}

describe('docs/testing-your-workflow.md', () => {
  it('R74: finds the bug of an agent that is not idempotent, as the page prints it', async () => {
    const [, promised = ''] = /^```text\n(.*?)^```$/msu.exec(page) ?? []
    expect(promised).toContain('charged 2 times')
    expect(await printed(withBug)).toContain(promised)
  })

  it('R73: finds nothing in the same agent with a key', async () => {
    expect(await printed(withoutBug)).toMatch(/^\d{2,} stories, nothing broken\n$/)
  })
})

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cli, run, Running, temporaryDirectory } from './processes.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = readFileSync(join(root, 'docs/embedded-cosmos.md'), 'utf8')

function blocks(language: string): string[] {
  const fenced = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gmsu')
  return [...page.matchAll(fenced)].map((match) => match[1] ?? '')
}

describe('docs/embedded-cosmos.md', () => {
  it('has examples of both kinds, and no code that is not run', () => {
    expect(blocks('ts').length).toBeGreaterThan(1)
    expect(blocks('sh').length).toBeGreaterThan(0)
    const languages = [...page.matchAll(/^```(\w*)$/gmu)].map((match) => match[1])
    expect(new Set(languages)).toEqual(new Set(['ts', 'sh', '']))
    expect(languages.length).toBe(2 * (blocks('ts').length + blocks('sh').length))
  })

  it.each(blocks('ts'))('runs example %#', async (code) => {
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
    const { code: exitCode, stderr } = await run(script, [])
    expect(stderr).not.toMatch(/Error/u)
    expect(exitCode).toBe(0)
  })

  const commands = blocks('sh').flatMap((block) => block.trim().split('\n'))

  it.each(commands)('%s', async (command) => {
    const [npx, program, ...args] = command.split(' ')
    expect([npx, program]).toEqual(['npx', 'stepward'])
    // The default port may be in use by somebody else's store.
    const given = args.includes('--port') ? args : [...args, '--port', '0']
    const child = spawn(execPath, [cli, ...given], {
      cwd: await temporaryDirectory(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const running = new Running(child)
    onTestFinished(async () => {
      await running.kill('SIGKILL')
    })
    expect(await running.line('endpoint')).toMatch(args.includes('--https') ? /https:/u : /http:/u)
    expect((await running.kill('SIGTERM')).code).toBe(0)
  })
})

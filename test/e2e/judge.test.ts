import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bugs } from '../judge/bugs.js'
import { judge, readHistory, type Verdict } from '../judge/rules/index.js'
import { optionsWith } from '../judge/runs/broken-module.js'
import type { RunOptions, runOnce } from '../judge/runs/one-run.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const sources = fileURLToPath(new URL('../judge/runs/', import.meta.url))
let directory: string

beforeAll(() => {
  // Inside the package, so that its own name resolves to what was built.
  mkdirSync(join(root, '.stepward'), { recursive: true })
  directory = mkdtempSync(join(root, '.stepward', 'judged-'))
  for (const name of readdirSync(sources)) {
    const { outputText } = ts.transpileModule(readFileSync(join(sources, name), 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
      },
    })
    const file = join(directory, 'runs', name.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, outputText)
  }
})

afterAll(() => {
  rmSync(directory, { recursive: true })
})

async function judged(name: string, options: Omit<RunOptions, 'history'>): Promise<Verdict> {
  const built = (await import(pathToFileURL(join(directory, 'runs/one-run.js')).href)) as {
    readonly runOnce: typeof runOnce
  }
  const history = join(directory, `${name}.jsonl`)
  // One schedule is enough here, because more of them take longer.
  await built.runOnce({ jobs: 4, schedules: ['ticking'], patienceMs: 100_000, ...options, history })
  return judge(readHistory(history))
}

it('the judge accepts real processes under faults, and rejects processes with a seeded bug', async () => {
  const bug = bugs.find(({ name }) => name === 'a transaction is written without etags')
  if (bug === undefined) throw new Error('the bug is not there any more')
  const [sound, broken] = await Promise.all([
    judged('sound', {
      seed: 1,
      kinds: ['chain', 'refused', 'cancelled', 'twice'],
      faults: ['kill', 'cutAfter'],
    }),
    judged('broken', { seed: 2, kinds: ['chain'], faults: [], execArgv: await optionsWith(bug, root) }),
  ])
  expect(sound.violations).toEqual([])
  // However slow the machine is, these rules have something to check, because the plug-in of the SDK records
  // it.
  for (const rule of ['conditional', 'one-writer', 'register', 'accepted', 'own-lease', 'delivered']) {
    expect(sound.checked.get(rule), rule).toBeGreaterThan(0)
  }
  expect(new Set(broken.violations.map(({ rule }) => rule))).toContain('conditional')
}, 240_000)

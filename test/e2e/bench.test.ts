import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shortEffort } from '../bench/figure.js'
import { measured } from '../bench/measured.js'
import { cli } from './processes.js'

let directory: string
let constantServer: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'stepward-'))
  constantServer = join(directory, 'constant-server.mjs')
  const source = readFileSync(fileURLToPath(new URL('../bench/constant-server.ts', import.meta.url)), 'utf8')
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }
  writeFileSync(constantServer, ts.transpileModule(source, { compilerOptions }).outputText)
})

afterAll(() => {
  rmSync(directory, { recursive: true })
})

it('the benchmark of the embedded store runs and returns a number for every figure', async () => {
  const figures = await measured(shortEffort, { cli, constantServer })
  for (const { name, value } of figures) {
    // With so few documents, other objects on the heap decide the measured memory.
    const least = name.startsWith('memory') ? Number.NEGATIVE_INFINITY : 0
    expect(value, name).toBeGreaterThan(least)
  }
  expect(figures.filter(({ target }) => target !== undefined)).toHaveLength(17)
})

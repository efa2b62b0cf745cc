import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { measuredJobs } from '../bench/jobs/measured.js'
import { cli } from './processes.js'

let directory: string
let workload: string

beforeAll(() => {
  // Inside the repository, so that the name of the package resolves.
  const folder = fileURLToPath(new URL('../../.stepward/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  directory = mkdtempSync(join(folder, 'bench-'))
  workload = join(directory, 'workload.mjs')
  const source = readFileSync(fileURLToPath(new URL('../bench/jobs/workload.ts', import.meta.url)), 'utf8')
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }
  writeFileSync(workload, ts.transpileModule(source, { compilerOptions }).outputText)
})

afterAll(() => {
  rmSync(directory, { recursive: true })
})

it('the benchmark of jobs runs and returns a number for every figure', async () => {
  const effort = { alone: 2, together: 10, atOnce: 5, killed: 0 }
  const figures = await measuredJobs(effort, { cli, workload })
  for (const { name, value } of figures) expect(value, name).toBeGreaterThanOrEqual(0)
  expect(figures.filter(({ target }) => target !== undefined)).toHaveLength(8)
})

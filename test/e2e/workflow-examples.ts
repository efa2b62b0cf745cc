import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { defineAgent, type Workflow } from '../../src/index.js'
import { isWorkflow } from '../../src/sas/internal.js'
import { simulateWorkflow, type StoryAnswer, type StoryEvent } from '../../src/testing/index.js'
import { programsIn, root } from './doc-page.js'

const outputs: Readonly<Record<string, object | null>> = {
  reserve: { hold: 'h1', parts: [{ sku: 'a' }] },
  charge: { receipt: 'r1' },
  invoice: { receipt: 'r2' },
  pack: { parcel: 'p1' },
  ship: { track: 't1' },
  track: { place: 'away' },
  release: null,
  refund: null,
  wrap: null,
  work: { next: null, answer: 'yes' },
}

/** One job of an example, with what must come of it. */
export interface Run {
  readonly input?: object
  /** The operations that fail permanently. */
  readonly failing?: readonly string[]
  readonly events?: readonly StoryEvent[]
  readonly answers?: readonly StoryAnswer[]
  readonly end?: string
  /** The round in which a tracked parcel is at home. Default: none. */
  readonly homeAfter?: number
  /** The calls that agents received, in any order: the operation, and parts of its input. */
  readonly calls: readonly (readonly [string, object])[]
}

/** Returns the workflows that an example exports. */
async function exported(
  path: string,
  code: string,
): Promise<readonly (readonly [string, Workflow<object>])[]> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  })
  writeFileSync(path, outputText)
  const module = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Readonly<
    Record<string, unknown>
  >
  return Object.entries(module).flatMap(([name, value]) =>
    isWorkflow(value) ? [[name, value as Workflow<object>] as const] : [],
  )
}

/** Runs a job of the workflow, and returns how it ended and the calls of its agents. */
async function ran(
  workflow: Workflow<object>,
  { input, failing = [], events = [], answers = [], homeAfter }: Run & { readonly input: object },
) {
  const calls: [string, unknown][] = []
  const agent = (name: string, operations: readonly string[]) =>
    defineAgent(
      name,
      Object.fromEntries(
        operations.map((operation) => [
          operation,
          (given: object, context: { readonly round: number; failPermanently(reason: string): never }) => {
            calls.push([operation, given])
            if (failing.includes(operation)) context.failPermanently('no')
            const isThere = operation === 'track' && context.round === homeAfter
            return isThere ? { place: 'home' } : (outputs[operation] ?? null)
          },
        ]),
      ),
    )
  const others = { mail: ['send'], assistant: ['work'], bank: ['transfer'], desk: ['decline'] }
  const named = Object.entries(others).map(([name, operations]) => agent(name, operations))
  const agents = [agent('shop', Object.keys(outputs)), ...named]
  const { ends, problems } = await simulateWorkflow({
    workflow,
    input,
    events,
    answers,
    only: [],
    setup: () => ({ agents }),
  })
  return { ends, problems, calls }
}

/** Tests that every example of a page with workflows runs as `runs` says. `input` is the input of most jobs. */
export function testExamples(
  page: string,
  input: object,
  runs: Readonly<Record<string, readonly Run[]>>,
): void {
  const programs = programsIn(page)
  let directory: string

  beforeAll(() => {
    // Inside the package, so that its own name resolves.
    mkdirSync(join(root, '.stepward'), { recursive: true })
    directory = mkdtempSync(join(root, '.stepward', 'docs-'))
  })
  afterAll(() => {
    rmSync(directory, { recursive: true })
  })

  it.each(programs.slice(1).map((code, index) => [index + 2, code] as const))(
    'has an example that runs as the page says: %i',
    async (index, code) => {
      const workflows = await exported(join(directory, `example-${index}.mjs`), code)
      expect(workflows).not.toEqual([])
      for (const [name, workflow] of workflows) {
        expect(runs).toHaveProperty(name)
        for (const run of runs[name] ?? []) {
          const { ends, problems, calls } = await ran(workflow, { input, ...run })
          expect({ name, ends, problems }).toEqual({
            name,
            ends: { [run.end ?? 'Processed']: 1 },
            problems: [],
          })
          expect(calls).toHaveLength(run.calls.length)
          for (const call of run.calls)
            expect(calls).toContainEqual(
              call.map((part) =>
                typeof part === 'string' ? part : (expect.objectContaining(part) as unknown),
              ),
            )
        }
      }
    },
  )
}

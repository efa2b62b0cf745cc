import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineAgent, type Workflow } from '../../src/index.js'
import { isWorkflow } from '../../src/sas/internal.js'
import { simulateWorkflow, type StoryAnswer, type StoryEvent } from '../../src/testing/index.js'
import { pageText, programsIn, root, workflowsPage } from './doc-page.js'

const purchase = {
  orderId: 'order-1',
  customer: { name: 'Ada', email: 'ada@example.com' },
  total: 1_200,
  country: 'PT',
  isGift: false,
  items: [
    { sku: 'a', quantity: 1 },
    { sku: 'b', quantity: 2 },
  ],
}

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
}

interface Run {
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

const [approve, day] = [{ step: 'approve', payload: { by: 'ann' } }, 24 * 3_600_000]
const reminder = ['send', { to: 'clerk@example.com', text: 'Please approve order order-1.' }] as const
const escalation = ['send', { to: 'head@example.com' }] as const

const tracked = ['track', { orderId: 'order-1' }] as const

/** The runs of each exported workflow. */
const runs: Readonly<Record<string, readonly Run[]>> = {
  inOrder: [
    {
      calls: [
        ['reserve', { orderId: 'order-1' }],
        ['charge', { amount: 1_200, hold: 'h1' }],
        ['wrap', { hold: 'h1' }],
        ['ship', { receipt: 'r1' }],
      ],
    },
  ],
  letter: [
    {
      calls: [
        ['reserve', {}],
        ['send', { to: 'ada@example.com', text: 'Dear Ada, 2 items are reserved (h1).' }],
      ],
    },
  ],
  conditions: [
    {
      calls: [
        ['reserve', {}],
        ['invoice', { amount: 1_200 }],
      ],
    },
    {
      input: { ...purchase, total: 20, isGift: true },
      calls: [
        ['reserve', {}],
        ['wrap', {}],
        ['charge', { amount: 20, hold: 'h1' }],
      ],
    },
  ],
  undoable: [
    {
      failing: ['ship'],
      end: 'Compensated',
      calls: [
        ['reserve', {}],
        ['charge', {}],
        ['ship', { receipt: 'r1' }],
        ['refund', { receipt: 'r1' }],
        ['release', { hold: 'h1' }],
      ],
    },
  ],
  fallback: [
    {
      calls: [
        ['charge', {}],
        ['ship', { receipt: 'r1' }],
        ['send', { text: 'The card payment is done, the parcel is t1.' }],
      ],
    },
    {
      failing: ['charge', 'send'],
      calls: [
        ['charge', {}],
        ['invoice', { amount: 1_200 }],
        ['ship', { receipt: 'r2' }],
        ['send', { text: 'The card payment is refused, the parcel is t1.' }],
      ],
    },
    {
      failing: ['charge', 'invoice'],
      end: 'Error',
      calls: [
        ['charge', {}],
        ['invoice', {}],
      ],
    },
  ],
  shared: [{ calls: [['charge', { amount: 1_200 }]] }],
  waiting: [
    {
      input: { ...purchase, shipAt: '2030-01-01T00:00:00Z' },
      events: [{ step: 'paid', payload: { receipt: 'r9' } }],
      calls: [['ship', { receipt: 'r9' }]],
    },
  ],
  approval: [
    { events: [approve], calls: [['charge', { amount: 1_200 }]] },
    { events: [{ ...approve, after: 5 * day }], calls: [reminder, ['charge', {}]] },
    { events: [{ ...approve, after: 8 * day }], calls: [reminder, escalation, ['charge', {}]] },
    {
      calls: [
        reminder,
        escalation,
        ['send', { to: 'ada@example.com', text: 'Order order-1 was not approved.' }],
      ],
    },
  ],
  claim: [
    {
      input: { ...purchase, clerks: ['ann'] },
      answers: [
        { step: 'review', data: { approved: true, amount: 7 }, by: 'ann', after: 3 * day },
        { step: 'sure', data: true },
      ],
      calls: [['charge', { amount: 1_200 }]],
    },
    { input: { ...purchase, clerks: ['ann'] }, answers: [{ step: 'review', data: false }], calls: [] },
    {
      input: { ...purchase, clerks: ['ann'] },
      calls: [['send', { text: 'No decision about order order-1 was made in time.' }]],
    },
  ],
  parcel: [
    {
      homeAfter: 3,
      calls: [tracked, tracked, tracked, ['send', { text: 'It is there.' }]],
    },
    { calls: [...Array.from({ length: 40 }, () => tracked), ['send', { to: 'lost@example.com' }]] },
  ],
  list: [
    {
      calls: [
        ['pack', { sku: 'a', quantity: 1 }],
        ['pack', { sku: 'b', quantity: 2 }],
        ['charge', {}],
        ['ship', { receipt: 'r1', parcels: [{ parcel: 'p1' }, { parcel: 'p1' }] }],
      ],
    },
    {
      failing: ['pack'],
      calls: [
        ['pack', {}],
        ['pack', {}],
        ['charge', {}],
        ['ship', { receipt: 'r1', parcels: [null, null] }],
      ],
    },
  ],
  payment: [{ input: { amount: 7 }, calls: [['charge', { amount: 7 }]] }],
  nested: [
    {
      calls: [
        ['charge', { amount: 1_200 }],
        ['ship', { receipt: 'r1' }],
      ],
    },
  ],
  withResult: [{ calls: [['charge', { amount: 1_200 }]] }],
  withDefaults: [{ calls: [['charge', {}]] }],
}

let directory: string
beforeAll(() => {
  // Inside the package, so that its own name resolves.
  mkdirSync(join(root, '.stepward'), { recursive: true })
  directory = mkdtempSync(join(root, '.stepward', 'docs-'))
})
afterAll(() => {
  rmSync(directory, { recursive: true })
})

/** Returns the workflows that an example exports. */
async function exported(
  code: string,
  index: number,
): Promise<readonly (readonly [string, Workflow<object>])[]> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  })
  const path = join(directory, `example-${index}.mjs`)
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
  { input = purchase, failing = [], events = [], answers = [], homeAfter }: Run,
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
  const agents = [agent('shop', Object.keys(outputs)), agent('mail', ['send'])]
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

describe(workflowsPage, () => {
  const programs = programsIn(workflowsPage)

  it.each(programs.slice(1).map((code, index) => [index + 2, code] as const))(
    'has an example that runs as the page says: %i',
    async (index, code) => {
      const workflows = await exported(code, index)
      expect(workflows).not.toEqual([])
      for (const [name, workflow] of workflows) {
        expect(runs).toHaveProperty(name)
        for (const run of runs[name] ?? []) {
          const { ends, problems, calls } = await ran(workflow, run)
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

  it('names every function of condition', async () => {
    const { condition } = await import('../../src/index.js')
    const missing = Object.keys(condition).filter((name) => !pageText(workflowsPage).includes(`${name}(`))
    expect(missing).toEqual([])
  })
})

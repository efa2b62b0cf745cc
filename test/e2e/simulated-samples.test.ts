import { defineAgent } from 'stepward'
import { simulateWorkflow } from 'stepward/testing'
import { expect, it } from 'vitest'
import { assistantOf, research, type Tools } from '../../samples/agent-loop/index.js'
import { facts, problemsOf, rounds } from '../../samples/agent-loop/book.js'
import { standInOf } from '../../samples/agent-loop/stand-in.js'
import { settleClaim, type Claim } from '../../samples/insurance-claim/index.js'

const claim: Claim = { claimId: 'C-1', customer: 'ada', policy: 'P-1', damage: 'hail', amount: 900 }

/** The services of a claim, which keep what was done for each key until it is undone. */
function officeOf(book: Map<string, string>) {
  const once =
    (kind: string) =>
    (_input: unknown, { idempotencyKey }: { readonly idempotencyKey: string }) => {
      book.set(idempotencyKey, kind)
      return { id: kind, limit: 5_000, estimate: 850, score: 3 }
    }
  return [
    defineAgent('checks', {
      policy: once('policy'),
      survey: (_input: Claim, context) => context.failPermanently('no surveyor is available'),
      table: once('table'),
      fraud: once('fraud'),
    }),
    defineAgent('bank', {
      reserve: once('reserve'),
      pay: once('pay'),
      giveBack: (_input: object, { undoes }) => book.delete(undoes ?? ''),
    }),
    defineAgent('office', {
      write: once('letter'),
      close: (_input: object, context) => context.failPermanently('the claim has a lawsuit'),
    }),
  ]
}

it('a claim answered after eight days is undone whole, whichever write has a fault', async () => {
  const { ends, problems, stories } = await simulateWorkflow({
    workflow: settleClaim,
    input: claim,
    answers: [
      { step: 'decision', data: { amount: 800, reason: 'covered' }, by: 'head of claims', after: '8d' },
    ],
    setup: () => {
      const book = new Map<string, string>()
      return {
        agents: officeOf(book),
        check: () => {
          const held = [...book.values()].filter((kind) => ['reserve', 'pay'].includes(kind))
          return held.map((kind) => `the bank still has a ${kind}`)
        },
      }
    },
  })
  expect(problems).toEqual([])
  expect(ends).toEqual({ Compensated: stories })
  expect(stories).toBeGreaterThan(100)
})

/** The assistant with tools that do each key once, in the order in which the calls came. */
function assistantWith(effects: Map<string, { kind: string; key: string; argument: string }>) {
  let decisions = 0
  const tools: Tools = async ({ tool, argument }, { idempotencyKey: key }) => {
    const known = effects.get(key) ?? { kind: tool, key, argument }
    if (known.argument !== argument) throw new Error(`the key ${key} is used for two calls`)
    effects.set(key, known)
    return facts({ kind: tool, body: { argument } })
  }
  return assistantOf(
    standInOf(() => (decisions += 1)),
    tools,
  )
}

it.each(['crashBefore', 'crashAfter'] as const)(
  'an agent with %s at every write has the effects of 200 rounds once and in order',
  async (kind) => {
    // The numbers of the writes that can fail: each round has a few, and a crash adds further ones.
    const writes = Array.from({ length: 2 * rounds + 20 }, (_, index) => index + 1)
    const effects = new Map<string, { kind: string; key: string; argument: string }>()
    const { ends, problems } = await simulateWorkflow({
      workflow: research,
      input: { goal: 'the book' },
      only: ['W0', 'W1', 'W3', 'W4', 'W5', 'W6'].flatMap((point) =>
        writes.filter((write) => isStruck(kind, write)).map((write) => `${kind}@${point}#${write}`),
      ),
      setup: () => ({
        agents: [assistantWith(effects)],
        check: () => problemsOf([...effects.values()]),
      }),
    })
    expect(problems).toEqual([])
    expect(ends).toEqual({ Processed: 1 })
  },
)

/** A write that was lost is repeated, so that only each second one may be lost. */
const isStruck = (kind: string, write: number): boolean => kind === 'crashAfter' || write % 2 === 1

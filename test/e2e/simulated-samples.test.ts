import { defineAgent } from 'stepward'
import { simulateWorkflow } from 'stepward/testing'
import { expect, it } from 'vitest'
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

import type { Facts, Mood } from '../remote-service/index.js'
import type { Claim, Decision } from './index.js'

/** A claim, and what the people in the office do about it. */
export interface Case {
  readonly claim: Claim
  /** The person who answers, and when: at once, or only after the question was escalated. */
  readonly answers: 'ann' | 'head of claims' | null
  readonly decision: Decision
}

const claimOf = (claimId: string, customer: string, damage: string, amount: number): Claim => ({
  ...{ claimId, customer, damage, amount },
  policy: `policy of ${customer}`,
})
const approved = (amount: number): Decision => ({ amount, reason: 'covered' })

export const cases: readonly Case[] = [
  { claim: claimOf('C-1', 'ada', 'broken window', 400), answers: 'ann', decision: approved(380) },
  { claim: claimOf('C-2', 'ben', 'burst pipe', 2_000), answers: 'head of claims', decision: approved(1_900) },
  {
    claim: claimOf('C-3', 'cleo', 'old scratch', 900),
    answers: 'ann',
    decision: { amount: 0, reason: 'the damage is older than the policy' },
  },
  { claim: claimOf('C-4', 'dan', 'stolen bicycle', 700), answers: 'ann', decision: approved(700) },
  { claim: claimOf('C-5', 'eve', 'hail', 1_500), answers: 'ann', decision: approved(1_400) },
  { claim: claimOf('C-6', 'fay', 'storm', 1_200), answers: 'ann', decision: approved(1_100) },
  { claim: claimOf('C-7', 'gus', 'lost ring', 300), answers: null, decision: approved(0) },
]

/**
 * Returns the services of the sample. The bank refuses the payment to dan. For eve, no surveyor is available.
 * The file of fay cannot be closed after the payment. Every ninth request loses its answer after
 * the service has done the work.
 */
export function services(): { readonly mood: Mood; readonly facts: Facts } {
  let asked = 0
  return {
    mood: ({ kind, body, number }) => {
      if (kind === 'pay' && body['customer'] === 'dan') return { refused: 'the account is closed' }
      if (kind === 'survey' && body['damage'] === 'hail') return { refused: 'no surveyor is available' }
      if (kind === 'close' && body['claimId'] === 'C-6') return { refused: 'the claim has a lawsuit' }
      asked += 1
      return asked % 9 === 0 && number === 1 ? 'doneAndSilent' : 'done'
    },
    facts: ({ kind, body }) => {
      const amount = Number(body['amount'])
      if (kind === 'policy') return { limit: 5_000 }
      if (kind === 'fraud') return { score: amount % 70 }
      return kind === 'survey' || kind === 'table' ? { estimate: Math.round(amount * 0.95) } : {}
    },
  }
}

import { expect, it } from 'vitest'
import { Ledger } from '../../../../../samples/orders/services/ledger.js'
import { Shop } from '../../../../../samples/orders/services/shop.js'
import { VirtualClock } from '../../../../../src/platform/index.js'

function told(...replies: [orderId: string, seq: number][]) {
  const ledger = new Ledger(new VirtualClock())
  const shop = new Shop(ledger)
  for (const [orderId, seq] of replies) {
    shop.take({ orderId, seq, kind: seq === 3 ? 'finished' : 'started', state: 'Processed', reason: null })
  }
  return ledger
}

it('the shop keeps all replies of each order, and returns the last', () => {
  const ledger = told(['a', 1], ['b', 1], ['a', 2], ['a', 3])
  expect(ledger.report().replies.map(({ orderId, seq }) => `${orderId}${seq}`)).toEqual([
    'a1',
    'b1',
    'a2',
    'a3',
  ])
  expect(ledger.lastReply('a')).toMatchObject({ seq: 3, kind: 'finished' })
  expect(ledger.lastReply('c')).toBeUndefined()
  expect(ledger.report().misorderedReplies).toBe(0)
})

it.each([
  [
    'one is missing',
    [
      ['a', 1],
      ['a', 3],
    ],
    1,
  ],
  [
    'two are exchanged',
    [
      ['a', 2],
      ['a', 1],
    ],
    2,
  ],
  [
    'one comes twice',
    [
      ['a', 1],
      ['a', 1],
    ],
    1,
  ],
  [
    'the first is missing, of one order only',
    [
      ['a', 2],
      ['b', 1],
    ],
    1,
  ],
] as [string, [string, number][], number][])(
  'the shop counts replies out of order: %s (I13)',
  (_, replies, count) => {
    expect(told(...replies).report().misorderedReplies).toBe(count)
  },
)

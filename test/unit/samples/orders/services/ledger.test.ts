import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../../src/platform/index.js'
import { countDuplicates, Ledger, type Effect } from '../../../../../samples/orders/services/ledger.js'

type Entry = Omit<Effect, 'at'>

const charge = (key: string, orderId: string): Entry => ({
  service: 'payments',
  kind: 'charge',
  key,
  orderId,
  id: `charge-${key}`,
})
const refund = (key: string, orderId: string, undoes: string): Entry => ({
  service: 'payments',
  kind: 'refund',
  key,
  orderId,
  id: `refund-${key}`,
  undoes,
})

describe('countDuplicates', () => {
  const cases: { title: string; effects: Entry[]; duplicates: number }[] = [
    { title: 'nothing done', effects: [], duplicates: 0 },
    { title: 'one charge for each order', effects: [charge('1', 'A'), charge('2', 'B')], duplicates: 0 },
    { title: 'two charges for one order', effects: [charge('1', 'A'), charge('2', 'A')], duplicates: 1 },
    {
      title: 'three charges for one order',
      effects: [charge('1', 'A'), charge('2', 'A'), charge('3', 'A')],
      duplicates: 2,
    },
    { title: 'two effects for one key', effects: [charge('1', 'A'), charge('1', 'B')], duplicates: 1 },
    {
      title: 'wrong in both ways, counted once',
      effects: [charge('1', 'A'), charge('1', 'A')],
      duplicates: 1,
    },
    {
      title: 'charged again after a refund',
      effects: [charge('1', 'A'), refund('2', 'A', 'charge-1'), charge('3', 'A')],
      duplicates: 0,
    },
    {
      title: 'charged again before the refund of the first',
      effects: [charge('1', 'A'), charge('3', 'A'), refund('2', 'A', 'charge-1')],
      duplicates: 0,
    },
    {
      title: 'one key twice, although refunded',
      effects: [charge('1', 'A'), charge('1', 'A'), refund('2', 'A', 'charge-1')],
      duplicates: 1,
    },
    {
      title: 'refunds of two charges of one order',
      effects: [
        charge('1', 'A'),
        refund('2', 'A', 'charge-1'),
        charge('3', 'A'),
        refund('4', 'A', 'charge-3'),
      ],
      duplicates: 0,
    },
    {
      title: 'the same key at another service',
      effects: [charge('1', 'A'), { ...charge('1', 'A'), service: 'shipping', kind: 'ship', id: 'parcel-1' }],
      duplicates: 0,
    },
    {
      title: 'a parcel sent twice',
      effects: ['1', '2'].map((key) => ({ ...charge(key, 'A'), service: 'shipping', kind: 'ship' })),
      duplicates: 1,
    },
    {
      title: 'stock reserved twice',
      effects: ['1', '2'].map((key) => ({ ...charge(key, 'A'), service: 'inventory', kind: 'reserve' })),
      duplicates: 1,
    },
  ]

  it.each(cases)('counts duplicates: $title: $duplicates', ({ effects, duplicates }) => {
    expect(countDuplicates(effects)).toBe(duplicates)
  })
})

describe('the ledger', () => {
  it('lists effects with their times, oldest first', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 4, 1))
    const ledger = new Ledger(clock)
    ledger.record(charge('1', 'A'))
    await clock.advance(1_500)
    ledger.record(charge('2', 'B'))
    expect(ledger.report().effects).toEqual([
      { ...charge('1', 'A'), at: '2026-05-01T00:00:00.000Z' },
      { ...charge('2', 'B'), at: '2026-05-01T00:00:01.500Z' },
    ])
  })

  it('counts requests, answers from memory and faults by kind', () => {
    const ledger = new Ledger(new VirtualClock())
    ledger.countRequest()
    ledger.countRequest()
    ledger.countAnswerFromMemory()
    ledger.countFault('slow')
    ledger.countFault('slow')
    ledger.countFault('dropAfterWork')
    expect(ledger.report().counters).toEqual({
      requests: 2,
      answeredFromMemory: 1,
      faults: { slow: 2, unavailable: 0, hangBeforeWork: 0, hangAfterWork: 0, dropAfterWork: 1 },
    })
  })

  it('returns a report that later effects do not change', () => {
    const ledger = new Ledger(new VirtualClock())
    ledger.record(charge('1', 'A'))
    const before = ledger.report()
    ledger.record(charge('2', 'A'))
    expect(before.effects).toHaveLength(1)
    expect(ledger.report()).toMatchObject({ duplicateEffects: 1 })
  })
})

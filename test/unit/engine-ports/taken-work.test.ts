import { describe, expect, it } from 'vitest'
import type { Lease, LeaseStore } from '../../../lease-store/index.js'
import { KnownScheduler, Takers, type TakenWork } from '../../../src/engine-ports/taken-work.js'
import { VirtualClock } from '../../../src/platform/index.js'

const units = { scheduler: 's', agents: 'a' }

/** Lists leases with these owners. */
const owned =
  (owners: Readonly<Record<string, readonly (string | null)[]>>) =>
  (unit: string): LeaseStore => {
    const leases = (owners[unit] ?? []).map((owner) => ({ owner }) as Lease)
    return { list: () => Promise.resolve({ leases, storeTimeMs: 0 }) } as unknown as LeaseStore
  }

function takersOf(works: Readonly<Record<string, TakenWork | null>>): Takers {
  const takers = new Takers()
  for (const [name, work] of Object.entries(works)) takers.add(name, () => Promise.resolve(work))
  return takers
}

describe('the processes that take work', () => {
  const all = { scheduler: 'one', agents: true }
  it.each<[Parameters<typeof owned>[0], Readonly<Record<string, TakenWork | null>>, string | null]>([
    [{ s: ['one'], a: ['one'] }, { one: all }, 'one'],
    [{ s: ['one', 'two'], a: ['two'] }, { one: all, two: { scheduler: 'two', agents: true } }, 'one'],
    [{ s: ['one'], a: ['two'] }, { one: all, two: { scheduler: null, agents: false } }, null],
    [{ s: ['one', 'two'], a: ['one'] }, { one: all, two: { scheduler: null, agents: true } }, null],
    [{ s: ['one', null], a: ['one'] }, { one: all }, null],
    [{ s: ['one'], a: ['one', null] }, { one: all }, null],
    [{ s: ['one'], a: [] }, { one: all }, null],
    [{ s: [], a: ['one'] }, { one: all }, null],
    [{ s: ['one'], a: ['one', 'of .NET'] }, { one: all }, null],
    [{ s: ['one'], a: ['one', 'ended'] }, { one: all, ended: null }, null],
  ])('with the owners %j and the answers %j name the scheduler %s', async (owners, works, name) => {
    expect(await takersOf(works).takingScheduler(owned(owners), units)).toBe(name)
  })

  it('are not asked after they have left, unless they have come again', async () => {
    const takers = new Takers()
    const ends = [1, 2].map(() => takers.add('one', () => Promise.resolve(all)))
    const name = (): Promise<string | null> =>
      takers.takingScheduler(owned({ s: ['one'], a: ['one'] }), units)
    ends[0]?.()
    expect(await name()).toBe('one')
    ends[1]?.()
    expect(await name()).toBeNull()
  })
})

describe('the scheduler that is known to take jobs', () => {
  it('is named for five seconds after the last question that was answered', async () => {
    const clock = new VirtualClock()
    const questions: number[] = []
    const known = new KnownScheduler(clock, (question) => void questions.push(question))
    expect([known.name(), known.name()]).toEqual([null, null])
    expect(questions).toEqual([1])
    known.answered(1, 'one')
    expect(known.name()).toBe('one')
    await clock.advance(1_000)
    expect(known.name()).toBe('one')
    expect(questions).toEqual([1, 2])
    known.answered(1, null)
    await clock.advance(3_999)
    expect(known.name()).toBe('one')
    await clock.advance(1)
    expect(known.name()).toBeNull()
    known.answered(questions.at(-1) ?? 0, 'two')
    expect(known.name()).toBe('two')
  })
})

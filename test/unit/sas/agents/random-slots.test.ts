import { expect, it } from 'vitest'
import { seededRandom, VirtualClock } from '../../../../src/platform/index.js'
import { Pace } from '../../../../src/sas/agents/pace.js'
import { Slots } from '../../../../src/sas/agents/slots.js'

const rates = [
  { key: 'a', group: '', perSecond: 10, burst: 2 },
  { key: 'b', group: '', perSecond: 3, burst: 1 },
  { key: 'c', group: '', perSecond: 0.7, burst: 4 },
  { key: 'd', group: '', perSecond: 200, burst: 5 },
]
const never = new AbortController().signal

/** Returns the largest number of calls in any period, above what the rate allows. */
function excess(
  times: readonly number[],
  { perSecond, burst }: { perSecond: number; burst: number },
): number {
  const of = (first: number, last: number): number => {
    const periodMs = (times[last] ?? 0) - (times[first] ?? 0)
    return last - first + 1 - burst - (perSecond * periodMs) / 1_000
  }
  const all = times.flatMap((_, last) => times.slice(0, last + 1).map((_, first) => of(first, last)))
  return all.reduce((most, one) => Math.max(most, one), 0)
}

it.each([1, 2, 3, 4, 5, 6])(
  'random work keeps to its rates, and all of it starts or leaves: seed %i',
  async (seed) => {
    const random = seededRandom(seed)
    const upTo = (most: number): number => Math.floor(random.next() * most)
    const clock = new VirtualClock()
    const slots = new Slots(8, new Pace(clock), new Map([['limited', 3]]))
    const times = new Map<string, number[]>(rates.map(({ key }) => [key, []]))
    const ended: Promise<unknown>[] = []
    for (let count = 0; count < 800; count += 1) {
      const own = rates.filter(() => random.next() < 0.4)
      const agent = random.next() < 0.5 ? 'free' : 'limited'
      const begin = (isTaken: boolean): void => {
        if (!isTaken) return
        for (const { key } of own) times.get(key)?.push(clock.monotonic())
        clock.schedule(upTo(300), () => slots.release(agent))
      }
      if (random.next() < 0.3 && slots.takeFree({ agent, rates: own })) begin(true)
      else {
        const leaving = new AbortController()
        const leaves = random.next() < 0.1
        if (leaves) clock.schedule(upTo(2_000), () => leaving.abort())
        const candidate = { agent, rates: own, priority: upTo(3) }
        ended.push(slots.take(leaves ? leaving.signal : never, candidate).then(begin))
      }
      await clock.advance(upTo(60))
    }
    for (let count = 0; count < 2_000 && clock.pendingTimers > 0; count += 1) await clock.advance(1_000)
    await Promise.all(ended)
    expect([clock.pendingTimers, slots.usage().busy]).toEqual([0, 0])
    // One call may be early, and a call that waits for another rate or for a slot comes late.
    for (const rate of rates)
      expect(excess(times.get(rate.key) ?? [], rate)).toBeLessThanOrEqual(Math.max(2, rate.perSecond / 100))
  },
)

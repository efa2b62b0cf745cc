import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../src/platform/index.js'
import { Pace } from '../../../../src/sas/agents/pace.js'
import { Slots, type Candidate } from '../../../../src/sas/agents/slots.js'

const gate = (key: string, perSecond: number, burst: number) => ({ key, group: '', perSecond, burst })
const all = gate('bank', 10, 1)
const numbers = (count: number): readonly number[] => [...Array(count).keys()]

interface Started {
  readonly name: string
  readonly atMs: number
}

/** Slots, what has started in them, and a function that waits for one. Handlers of some agents end after a second. */
function setup(count: number, limits = new Map<string, number>()) {
  const clock = new VirtualClock()
  const slots = new Slots(count, new Pace(clock), limits)
  const started: Started[] = []
  const wait = (name: string, candidate: Partial<Candidate>): void => {
    const whole = { agent: 'shop', priority: 0, ...candidate }
    const begin = (): void => {
      started.push({ name, atMs: clock.monotonic() })
      if (limits.has(whole.agent)) clock.schedule(1_000, () => slots.release(whole.agent))
    }
    slots.take(new AbortController().signal, whole).then(begin, () => undefined)
  }
  /** Keeps all slots busy for ten seconds, and then frees them. */
  const busy = async (): Promise<void> => {
    await clock.advance(10_000)
    for (const _ of numbers(count)) slots.release('mail')
    await clock.advance(0)
  }
  return { clock, slots, started, wait, busy }
}

describe('a rate is not exceeded', () => {
  it.each([
    ['agents', (index: number) => ({ agent: `agent-${index}`, rates: [all] })],
    [
      'tenants with a rate of their own',
      (index: number) => ({ rates: [all, gate(`tenant-${index}`, 1, 1)] }),
    ],
  ])('by 20 %s after all slots were busy', async (_what, candidateOf) => {
    const { slots, started, wait, busy } = setup(20)
    for (const _ of numbers(20)) slots.takeFree({ agent: 'mail' })
    for (const index of numbers(20)) wait('late', candidateOf(index))
    await busy()
    expect(started.length).toBeLessThanOrEqual(3)
  })

  it('by tenants that have waited for a rate of their own, together with others', async () => {
    const { clock, started, wait } = setup(1_000)
    const burst = gate('bank', 10, 20)
    for (const index of numbers(40)) wait('tenant', { rates: [burst, gate(`tenant-${index % 20}`, 0.1, 1)] })
    await clock.advance(9_990)
    for (const _ of numbers(40)) wait('other', { rates: [burst] })
    await clock.advance(20)
    expect(started.filter(({ atMs }) => atMs > 9_000).length).toBeLessThanOrEqual(22)
  })
})

describe('a rate is used', () => {
  it('while tenants wait for a lower rate of their own', async () => {
    const { clock, started, wait } = setup(10_000)
    for (const index of numbers(400)) wait('tenant', { rates: [all, gate(`tenant-${index % 50}`, 0.1, 1)] })
    for (const _ of numbers(1_000)) wait('other', { rates: [all] })
    for (const _ of numbers(60)) await clock.advance(1_000)
    expect(started.length).toBeGreaterThan(540)
    expect(started.filter(({ name }) => name === 'tenant').length).toBeGreaterThan(250)
  })

  it('by an agent with many slots, while agents with one slot wait for theirs', async () => {
    const limited = numbers(5).map((index) => `limited-${index}`)
    const { clock, started, wait } = setup(10_000, new Map(limited.map((name) => [name, 1])))
    for (const agent of [...limited, 'shop'])
      for (const _ of numbers(700)) wait(agent, { agent, rates: [all] })
    for (const _ of numbers(60)) await clock.advance(1_000)
    expect(started.length).toBeGreaterThan(540)
  })
})

it('urgent work does not wait behind less urgent work of another agent', async () => {
  const { clock, slots, started, wait } = setup(1)
  slots.takeFree({ agent: 'x' })
  for (const _ of numbers(100)) wait('b', { agent: 'b', priority: 5 })
  wait('a', { agent: 'a', priority: 0 })
  for (const _ of numbers(8)) wait('urgent', { agent: 'a', priority: 9 })
  let holder = 'x'
  for (const _ of numbers(10)) {
    slots.release(holder)
    await clock.advance(0)
    holder = started.at(-1)?.name === 'b' ? 'b' : 'a'
  }
  // Every eighth slot goes to the work that has waited longest.
  expect(started.map(({ name }) => name).filter((name) => name === 'urgent')).toHaveLength(8)
})

import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../src/platform/index.js'
import { Together } from '../../../../src/sas/store/together.js'
import { deferred, type Deferred } from '../../../support/deferred.js'

/** Operations whose answers the test gives. `requests` has the names of each request. */
function world({ shareOf = () => 0 }: { shareOf?: (name: string) => number } = {}) {
  const requests: string[][] = []
  const open = new Map<string, Deferred<string>>()
  const clock = new VirtualClock(0)
  const begin = (names: readonly string[]) => {
    requests.push([...names])
    return names.map((name) => {
      const operation: Deferred<string> = deferred()
      open.set(name, operation)
      return operation.promise
    })
  }
  const asking = {
    clock,
    shareOf,
    alone: (name: string) => begin([name])[0] ?? Promise.reject(new Error('not begun')),
    together: (names: readonly string[]): Promise<readonly (string | undefined)[]> =>
      Promise.all(begin(names)),
  }
  const operations = new Together(asking)
  const answer = (name: string): void => open.get(name)?.resolve(`done: ${name}`)
  return { requests, clock, asking, open, answer, ask: (name: string) => operations.ask(name) }
}

describe('operations that share requests', () => {
  it('begin at once if no other one is under way, and otherwise share the next request', async () => {
    const { requests, ask, answer } = world()
    const first = ask('a')
    const [second, third] = [ask('b'), ask('c')]
    await expect.poll(() => requests).toEqual([['a']])
    answer('a')
    expect(await first).toBe('done: a')
    await expect.poll(() => requests).toEqual([['a'], ['b', 'c']])
    answer('b')
    answer('c')
    expect([await second, await third]).toEqual(['done: b', 'done: c'])
    const fourth = ask('d')
    await expect.poll(() => requests.at(-1)).toEqual(['d'])
    answer('d')
    expect(await fourth).toBe('done: d')
  })

  it('are at most 100 in a request', async () => {
    const { requests, ask, answer } = world()
    const first = ask('first')
    const names = Array.from({ length: 150 }, (_, index) => `operation-${index}`)
    const all = names.map(ask)
    await expect.poll(() => requests.length).toBe(1)
    answer('first')
    await first
    await expect.poll(() => requests.length).toBe(2)
    for (const name of names) answer(name)
    await expect.poll(() => requests.map(({ length }) => length)).toEqual([1, 100, 50])
    for (const name of names) answer(name)
    expect(await Promise.all(all)).toEqual(names.map((name) => `done: ${name}`))
  })

  it.each([
    ['leaves out', [undefined]],
    ['does not know', []],
  ])('are asked for alone when a shared request %s them, and each fails separately', async (_how, found) => {
    const { requests, asking, ask, answer, open } = world()
    asking.together = () => Promise.resolve(found)
    const first = ask('a')
    const [second, third] = [ask('b'), ask('c')]
    await expect.poll(() => requests).toEqual([['a']])
    open.get('a')?.reject(new Error('away'))
    await expect(first).rejects.toThrow('away')
    await expect.poll(() => requests).toEqual([['a'], ['b'], ['c']])
    open.get('b')?.reject(new Error('too large'))
    answer('c')
    await expect(second).rejects.toThrow('too large')
    expect(await third).toBe('done: c')
  })

  it('all fail with their shared request, and later ones begin', async () => {
    const { requests, asking, ask, answer } = world()
    asking.together = () => Promise.reject(new Error('refused'))
    const first = ask('a')
    const [second, third] = [ask('b'), ask('c')]
    await expect.poll(() => requests).toEqual([['a']])
    answer('a')
    expect(await first).toBe('done: a')
    await expect(second).rejects.toThrow('refused')
    await expect(third).rejects.toThrow('refused')
    const fourth = ask('d')
    await expect.poll(() => requests.at(-1)).toEqual(['d'])
    answer('d')
    expect(await fourth).toBe('done: d')
  })

  it('do not wait longer than a second for a request without an answer', async () => {
    const { requests, clock, ask, answer } = world()
    const [stuck, second] = [ask('a'), ask('b')]
    await clock.advance(999)
    const third = ask('c')
    await expect.poll(() => requests).toEqual([['a']])
    await clock.advance(1)
    await expect.poll(() => requests).toEqual([['a'], ['b', 'c']])
    for (const name of ['b', 'c']) answer(name)
    expect(await Promise.all([second, third])).toEqual(['done: b', 'done: c'])
    answer('a')
    expect(await stuck).toBe('done: a')
    expect(clock.pendingTimers).toBe(0)
  })

  it('do not wait longer than a second one after another, and leave no timer behind', async () => {
    const { requests, clock, ask, answer } = world()
    const all = [ask('a'), ask('b')]
    await clock.advance(1_000)
    all.push(ask('c'))
    await clock.advance(999)
    expect(requests).toEqual([['a'], ['b']])
    await clock.advance(1)
    expect(requests).toEqual([['a'], ['b'], ['c']])
    for (const name of ['a', 'b', 'c']) answer(name)
    await Promise.all(all)
    expect(clock.pendingTimers).toBe(0)
  })

  it('share a request only as far as they fit into it', async () => {
    const { requests, asking, ask, answer } = world({ shareOf: (name) => Number(name.slice(1)) / 10 })
    const all = ['a1', 'b6', 'c4', 'd5', 'e20', 'f1'].map(ask)
    for (const next of [['a1'], ['b6', 'c4'], ['d5'], ['e20'], ['f1']]) {
      await expect.poll(() => requests.at(-1)).toEqual(next)
      for (const name of next) answer(name)
    }
    expect(await Promise.all(all)).toHaveLength(6)
    expect(asking.shareOf('a1')).toBe(0.1)
  })

  it('each fail if their shared request cannot begin', async () => {
    const { requests, asking, ask, answer } = world()
    asking.together = () => {
      throw new Error('not begun')
    }
    const all = [ask('a'), ask('b'), ask('c')]
    await expect.poll(() => requests).toEqual([['a']])
    answer('a')
    expect(await Promise.allSettled(all)).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected' },
      { status: 'rejected' },
    ])
  })
})

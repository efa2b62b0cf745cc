import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../src/platform/index.js'
import { Together } from '../../../../src/sas/store/together.js'
import { deferred, type Deferred } from '../../../support/deferred.js'

/** Operations whose answers the test gives. `requests` has the names of each request. */
function world() {
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
    const fourth = ask('d')
    await expect.poll(() => requests).toEqual([['a'], ['b', 'c', 'd']])
    for (const name of ['b', 'c', 'd']) answer(name)
    expect(await Promise.all([second, third, fourth])).toEqual(['done: b', 'done: c', 'done: d'])
    answer('a')
    expect(await stuck).toBe('done: a')
  })
})

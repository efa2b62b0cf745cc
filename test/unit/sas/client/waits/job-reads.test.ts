import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../../src/platform/index.js'
import { JobReads } from '../../../../../src/sas/client/waits/job-reads.js'
import type { DocumentAddress, StateDocument, Stored } from '../../../../../src/sas/store/state-store.js'
import { deferred, type Deferred } from '../../../../support/deferred.js'

type Read = Deferred<Stored<StateDocument> | null>

/** Reads whose answers the test gives. `requests` has the ids of each request. */
function world() {
  const requests: string[][] = []
  const open = new Map<string, Read>()
  const clock = new VirtualClock(0)
  const begin = (ids: readonly string[]) => {
    requests.push([...ids])
    return ids.map((id) => {
      const read: Read = deferred()
      open.set(id, read)
      return read.promise
    })
  }
  const store = {
    read: ({ id }: DocumentAddress) => begin([id])[0] ?? Promise.resolve(null),
    readMany: (addresses: readonly DocumentAddress[]) => Promise.all(begin(addresses.map(({ id }) => id))),
  }
  const reads = new JobReads(store, clock)
  const answer = (id: string): void => open.get(id)?.resolve({ id, pk: id, _etag: `"${id}"`, _ts: 1 })
  return { requests, clock, store, open, answer, read: (id: string) => reads.read({ pk: id, id }) }
}

describe('reads of awaited jobs', () => {
  it('begin at once if no read is under way, and otherwise share the next request', async () => {
    const { requests, read, answer, open } = world()
    const first = read('a')
    const [second, third] = [read('b'), read('c')]
    await expect.poll(() => requests).toEqual([['a']])
    answer('a')
    expect(await first).toMatchObject({ id: 'a' })
    await expect.poll(() => requests).toEqual([['a'], ['b', 'c']])
    answer('b')
    open.get('c')?.resolve(null)
    expect([(await second)?.id, await third]).toEqual(['b', null])
    const fourth = read('d')
    await expect.poll(() => requests.at(-1)).toEqual(['d'])
    answer('d')
    expect((await fourth)?.id).toBe('d')
  })

  it('have at most 100 jobs in a request', async () => {
    const { requests, read, answer } = world()
    const first = read('first')
    const ids = Array.from({ length: 150 }, (_, index) => `job-${index}`)
    const all = ids.map(read)
    await expect.poll(() => requests.length).toBe(1)
    answer('first')
    await first
    await expect.poll(() => requests.length).toBe(2)
    for (const id of ids) answer(id)
    await expect.poll(() => requests.map(({ length }) => length)).toEqual([1, 100, 50])
    for (const id of ids) answer(id)
    expect((await Promise.all(all)).map((document) => document?.id)).toEqual(ids)
  })

  it.each([
    ['does not return', () => Promise.resolve([undefined])],
    ['refuses', () => Promise.reject(new Error('no bulk'))],
  ])('read alone what a shared request %s, and fail each for itself', async (_how, readMany) => {
    const { requests, store, read, answer, open } = world()
    store.readMany = readMany as unknown as typeof store.readMany
    const first = read('a')
    const [second, third] = [read('b'), read('c')]
    await expect.poll(() => requests).toEqual([['a']])
    open.get('a')?.reject(new Error('away'))
    await expect(first).rejects.toThrow('away')
    await expect.poll(() => requests).toEqual([['a'], ['b'], ['c']])
    open.get('b')?.reject(new Error('too large'))
    answer('c')
    await expect(second).rejects.toThrow('too large')
    expect((await third)?.id).toBe('c')
  })

  it('do not wait longer than a second for a request without an answer', async () => {
    const { requests, clock, read, answer } = world()
    const [stuck, second] = [read('a'), read('b')]
    await clock.advance(999)
    const third = read('c')
    await expect.poll(() => requests).toEqual([['a']])
    await clock.advance(1)
    const fourth = read('d')
    await expect.poll(() => requests).toEqual([['a'], ['b', 'c', 'd']])
    for (const id of ['b', 'c', 'd']) answer(id)
    const found = await Promise.all([second, third, fourth])
    expect(found.map((document) => document?.id)).toEqual(['b', 'c', 'd'])
    answer('a')
    expect((await stuck)?.id).toBe('a')
  })
})

import { describe, expect, it } from 'vitest'
import { CosmosJobQueries } from '../../../../../src/sas/store/cosmos/cosmos-job-queries.js'
import type { CosmosStateStoreOptions } from '../../../../../src/sas/store/cosmos/cosmos-state-requests.js'
import { CosmosStateStore } from '../../../../../src/sas/store/cosmos/cosmos-state-store.js'
import { StoreRefused, StoreUnavailable } from '../../../../../src/sas/model/errors.js'
import type { StateWrite } from '../../../../../src/sas/store/state-store.js'

type Container = CosmosStateStoreOptions['container']

const create: StateWrite = { kind: 'create', document: { id: 'a', pk: 'p' } }
const replace: StateWrite = { kind: 'replace', document: { id: 'a', pk: 'p' }, ifMatch: '"1"' }

/** What the SDK calls for each request. */
type SdkPlugin = (
  context: { readonly options: object },
  diagnostics: unknown,
  next: () => Promise<{ readonly headers: object; readonly result: unknown }>,
) => Promise<{ readonly result: unknown }>

/** A failure as the SDK throws it. */
function failure(code: number | string, more: Readonly<Record<string, unknown>> = {}): Error {
  return Object.assign(new Error(`failed with ${code}`), { code, ...more })
}

/** A container whose requests end as `answer` says. The conformance suite tests the SDK itself. */
function containerThat(answer: () => Promise<unknown>): Container {
  const container = {
    items: { create: answer, batch: answer, query: () => ({ fetchAll: answer }) },
    item: () => ({ read: answer, replace: answer }),
    database: { client: {} },
  }
  return container as unknown as Container
}

function storeThat(answer: () => Promise<unknown>): CosmosStateStore {
  return new CosmosStateStore({ container: containerThat(answer) })
}

function storeFailing(error: Error): CosmosStateStore {
  return storeThat(() => Promise.reject(error))
}

describe('a failed write through the SDK', () => {
  it.each([408, 500, 503, 'ECONNRESET', 'ETIMEDOUT', 'REQUEST_SEND_ERROR', 'PARSE_ERROR'])(
    'has an unknown outcome after %s (F-X4)',
    async (code) => {
      const error = failure(code)
      const outcome = { kind: 'unknownOutcome', cause: error }
      expect(await storeFailing(error).apply('p', [create])).toEqual(outcome)
      expect(await storeFailing(error).apply('p', [replace])).toEqual(outcome)
    },
  )

  it.each([400, 408, 503, 'ECONNRESET'])(
    'has an unknown outcome when its group fails as a whole with %s (F-X4)',
    async (code) => {
      const error = failure(code)
      expect(await storeFailing(error).apply('p', [create, replace])).toEqual({
        kind: 'unknownOutcome',
        cause: error,
      })
    },
  )

  it.each([
    ['no result', undefined],
    ['a result without an etag', [{ statusCode: 201, eTag: '"1"' }, { statusCode: 200 }]],
    [
      'a result with an empty one',
      [
        { statusCode: 201, eTag: '"1"' },
        { statusCode: 200, eTag: '' },
      ],
    ],
  ])('has an unknown outcome when its group is answered with %s (I2)', async (_, result) => {
    const store = storeThat(() => Promise.resolve({ result, headers: {} }))
    expect(await store.apply('p', [create, replace])).toMatchObject({ kind: 'unknownOutcome' })
  })

  it.each([449, 410, 'ECONNREFUSED', 'ENOTFOUND'])(
    'is not applied and may be tried again after %s (F-X3)',
    async (code) => {
      const error = failure(code)
      const writing = storeFailing(error).apply('p', [replace])
      await expect(writing).rejects.toThrow(StoreUnavailable)
      await expect(writing).rejects.toMatchObject({ retriable: true, retryAfterMs: null, cause: error })
    },
  )

  it.each([429, 449, 410, 'ECONNREFUSED'])(
    'is not applied when its group fails as a whole with %s (F-X3)',
    async (code) => {
      const writing = storeFailing(failure(code)).apply('p', [create, replace])
      await expect(writing).rejects.toThrow(StoreUnavailable)
    },
  )

  it('is refused for good when its group is too large as a whole (F-S9)', async () => {
    const writing = storeFailing(failure(413)).apply('p', [create, replace])
    await expect(writing).rejects.toThrow(StoreRefused)
    await expect(writing).rejects.toThrow('state.batch: the store refused the request: failed with 413')
  })

  it('says how long to wait when it gets 429 inside a group (F-S10)', async () => {
    const result = [{ statusCode: 429, retryAfterMilliseconds: 250 }, { statusCode: 424 }]
    const writing = storeThat(async () => ({ headers: {}, result })).apply('p', [create, replace])
    await expect(writing).rejects.toMatchObject({ name: 'StoreUnavailable', retryAfterMs: 250 })
  })

  it('says how long to wait after 429, if the store says so (F-S10)', async () => {
    const writing = storeFailing(failure(429, { retryAfterInMs: 250 })).apply('p', [create])
    await expect(writing).rejects.toMatchObject({ name: 'StoreUnavailable', retryAfterMs: 250 })
    const unsaid = storeFailing(failure(429)).apply('p', [create])
    await expect(unsaid).rejects.toMatchObject({ name: 'StoreUnavailable', retryAfterMs: null })
  })

  it.each([400, 401, 403, 413])('is refused for good after %s (F-S11, F-S16)', async (code) => {
    const writing = storeFailing(failure(code)).apply('p', [create])
    await expect(writing).rejects.toThrow(StoreRefused)
    await expect(writing).rejects.toThrow(`state.create: the store refused the request: failed with ${code}`)
  })

  it('is refused for good when the container does not exist (F-S11)', async () => {
    await expect(storeFailing(failure(404)).apply('p', [create])).rejects.toThrow(StoreRefused)
  })

  it.each([
    [400, StoreRefused],
    [413, StoreRefused],
    [429, StoreUnavailable],
    [449, StoreUnavailable],
  ])('names the document at fault when it gets %d inside a group', async (statusCode, kind) => {
    const result = [{ statusCode: 424 }, { statusCode }, { statusCode: 424 }]
    const store = storeThat(async () => ({ headers: {}, result }))
    const second: StateWrite = { kind: 'create', document: { id: 'second', pk: 'p' } }
    const writing = store.apply('p', [create, second, replace])
    await expect(writing).rejects.toThrow(kind)
    await expect(writing).rejects.toThrow(
      `the store answered ${statusCode} to the write of "second"; nothing was written`,
    )
  })
})

describe('the physical partition of a write through the SDK', () => {
  it.each([
    [{ 'x-ms-documentdb-partitionkeyrangeid': '7', 'x-ms-session-token': '3:-1#5' }, '7'],
    [{ 'x-ms-documentdb-partitionkeyrangeid': '', 'x-ms-session-token': '3:-1#5' }, '3'],
    [{ 'x-ms-session-token': '3:-1#5' }, '3'],
    [{}, null],
  ])('comes from the headers of the answer: %j', async (headers, physicalRangeId) => {
    const store = storeThat(async () => ({ headers, requestCharge: 5, etag: '"2"' }))
    expect(await store.apply('p', [create])).toEqual({
      kind: 'applied',
      etags: ['"2"'],
      physicalRangeId,
      charge: 5,
    })
  })
})

describe('a failed read through the SDK', () => {
  const questions: [string, (container: Container) => Promise<unknown>][] = [
    ['read', (container) => new CosmosStateStore({ container }).read({ pk: 'p', id: 'a' })],
    [
      'listOverdue',
      (container) =>
        new CosmosStateStore({ container }).listOverdue({ afterMs: 0, beforeMs: 0, pickUpWithinMs: 0 }, 1),
    ],
    ['listJobs', (container) => new CosmosJobQueries({ container }).listJobs({})],
    ['findJob', (container) => new CosmosJobQueries({ container }).findJob('j')],
    ['listSteps', (container) => new CosmosStateStore({ container }).listSteps('p', 'j')],
  ]

  it.each(questions)('may be repeated when the store is not available: %s', async (operation, ask) => {
    const asking = ask(containerThat(() => Promise.reject(failure(503))))
    await expect(asking).rejects.toThrow(StoreUnavailable)
    await expect(asking).rejects.toThrow(`state.${operation}: the store is not available: failed with 503`)
  })

  it.each(questions)('is refused for good when access is forbidden: %s', async (_operation, ask) => {
    await expect(ask(containerThat(() => Promise.reject(failure(403))))).rejects.toThrow(StoreRefused)
  })

  it('has a readable message even when its cause is not an Error', async () => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as a broken transport may
    const store = storeThat(() => Promise.reject('gone'))
    await expect(store.read({ pk: 'p', id: 'a' })).rejects.toThrow(
      'state.read: the store refused the request: gone',
    )
  })
})

describe('reads of several documents', () => {
  const addresses = ['a', 'b', 'c'].map((id) => ({ pk: 'p', id }))
  const found = (id: string) => ({ statusCode: 200, requestCharge: 1, resourceBody: { id, pk: 'p' } })
  const missing = { statusCode: 404, requestCharge: 1 }

  /** A store that answers reads together with these results. Its result counts the requests. */
  function reading(together: () => Promise<unknown>) {
    let requests = 0
    let charged = 0
    const bulk = () => {
      requests += 1
      return together()
    }
    const container = { items: { bulk }, database: { client: {} } } as unknown as Container
    const onCharge = (_: string, charge: number) => (charged += charge)
    const store = new CosmosStateStore({ container, onCharge })
    return async () => ({ documents: await store.readMany(addresses), requests, charged })
  }

  it('take one request, and its charge', async () => {
    const read = reading(() => Promise.resolve([found('a'), missing, found('c')]))
    const documents = [{ id: 'a', pk: 'p' }, null, { id: 'c', pk: 'p' }]
    expect(await read()).toEqual({ documents, requests: 1, charged: 3 })
  })

  it.each([429, 413, 503])('leave out a document that was answered with %s', async (statusCode) => {
    const failed = { statusCode, requestCharge: 0, resourceBody: {} }
    const read = reading(() => Promise.resolve([found('a'), failed, found('c')]))
    expect((await read()).documents).toEqual([{ id: 'a', pk: 'p' }, undefined, { id: 'c', pk: 'p' }])
  })

  it.each([
    [503, 'are tried again', 2],
    [429, 'are tried again', 2],
    [400, 'are not tried again', 1],
    [501, 'are not tried again', 1],
  ])('return nothing when their request fails with %s, and %s later', async (code, _what, later) => {
    const read = reading(() => Promise.reject(failure(code)))
    expect(await read()).toEqual({ documents: [], requests: 1, charged: 0 })
    expect(await read()).toEqual({ documents: [], requests: later, charged: 0 })
  })
})

describe('replaces of single documents at the same time', () => {
  const write = (id: string, text = ''): StateWrite => ({
    kind: 'replace',
    document: { id, pk: `p-${id}`, text },
    ifMatch: `"${id}"`,
  })
  const answered = (statusCode: number, eTag?: string) => ({ statusCode, eTag, requestCharge: 10 })
  const alone = {
    etag: '"alone"',
    requestCharge: 10,
    headers: { 'x-ms-documentdb-partitionkeyrangeid': '0' },
  }

  /** A store whose replaces each take a turn. `together` answers the shared requests. */
  function writing(
    together: (ids: readonly string[]) => Promise<unknown>,
    rangeIds: readonly string[] = ['0'],
  ) {
    const requests: string[][] = []
    const ranges = [...rangeIds]
    const sdk: { plugins?: readonly { readonly plugin: SdkPlugin }[] } = {}
    const world = { isSent: true }
    const container = {
      items: {
        create: () => Promise.resolve(alone),
        bulk: async (operations: readonly { id: string; ifMatch: string }[], _: unknown, options: object) => {
          const ids = operations.map(({ id }) => id)
          requests.push(ids)
          expect(operations.every(({ id, ifMatch }) => ifMatch === `"${id}"`)).toBe(true)
          if (!world.isSent) return together(ids)
          const answer = async () => ({ headers: {}, result: await together(ids) })
          return (await sdk.plugins?.[0]?.plugin({ options }, undefined, answer))?.result
        },
      },
      item: (id: string, pk: string) => ({
        replace: () => {
          expect(pk).toBe(id === 'misplaced' ? 'q' : `p-${id}`)
          requests.push([id])
          const rangeId = ranges.length > 1 ? ranges.shift() : ranges[0]
          return Promise.resolve({ ...alone, headers: { 'x-ms-documentdb-partitionkeyrangeid': rangeId } })
        },
      }),
      database: { client: { clientContext: { cosmosClientOptions: sdk } } },
    }
    const charges: string[] = []
    const store = new CosmosStateStore({
      container: container as unknown as Container,
      onCharge: (operation) => charges.push(operation),
    })
    const apply = (one: StateWrite) => store.apply(one.document.pk, [one])
    return {
      world,
      requests,
      charges,
      store,
      apply,
      all: (ids: readonly string[]) => Promise.all(ids.map((id) => apply(write(id)))),
    }
  }

  const done = (etag: string) => ({ kind: 'applied', etags: [etag], physicalRangeId: '0', charge: 10 })
  /** The result of a replace in a shared request, whose answer names no physical partition. */
  const shared = (etag: string) => ({ ...done(etag), physicalRangeId: null })

  it('share a request while one is under way, and each gets its own result', async () => {
    const { requests, charges, apply, all } = writing(() =>
      Promise.resolve([answered(200, '"2"'), answered(412), answered(404), answered(503)]),
    )
    await apply(write('first'))
    const results = await all(['a', 'b', 'c', 'd', 'e'])
    expect(requests).toEqual([['first'], ['a'], ['b', 'c', 'd', 'e']])
    expect(results).toEqual([
      done('"alone"'),
      shared('"2"'),
      { kind: 'conflict', id: 'c', reason: 'changed' },
      { kind: 'conflict', id: 'd', reason: 'missing' },
      { kind: 'unknownOutcome', cause: new Error('the store answered 503 to the write of "e"') },
    ])
    expect(charges).toEqual(Array.from({ length: 6 }, () => 'state.replace'))
  })

  it.each([429, 449, 410, 413])(
    'are written alone if their shared request answers %s to them',
    async (status) => {
      const { requests, apply, all } = writing(() =>
        Promise.resolve([answered(200, '"2"'), answered(status)]),
      )
      await apply(write('first'))
      expect(await all(['a', 'b', 'c'])).toEqual([done('"alone"'), shared('"2"'), done('"alone"')])
      expect(requests).toEqual([['first'], ['a'], ['b', 'c'], ['c']])
    },
  )

  it('have an unknown outcome if the answer to their shared request is lost (F-X4)', async () => {
    const cause = failure('ECONNRESET')
    const { requests, apply, all } = writing(() => Promise.reject(cause))
    await apply(write('first'))
    const unknown = { kind: 'unknownOutcome', cause }
    expect(await all(['a', 'b', 'c'])).toEqual([done('"alone"'), unknown, unknown])
    expect(requests).toEqual([['first'], ['a'], ['b', 'c']])
  })

  it('are written alone if the SDK failed before it sent their shared request', async () => {
    const { world, requests, apply, all } = writing(() => Promise.reject(failure(503)))
    await apply(write('first'))
    world.isSent = false
    expect(await all(['a', 'b', 'c'])).toEqual([done('"alone"'), done('"alone"'), done('"alone"')])
    expect(requests).toEqual([['first'], ['a'], ['b', 'c'], ['b'], ['c']])
    await all(['d', 'e', 'f'])
    expect(requests.slice(5)).toEqual([['d'], ['e', 'f'], ['e'], ['f']])
  })

  it('have an unknown outcome without the etag of what was written (I2)', async () => {
    const { apply, all } = writing(() => Promise.resolve([answered(200), answered(200, '')]))
    await apply(write('first'))
    expect(await all(['a', 'b', 'c'])).toMatchObject([
      { kind: 'applied' },
      { kind: 'unknownOutcome' },
      { kind: 'unknownOutcome' },
    ])
  })

  it.each([
    [400, 'no more', [['first'], ['a'], ['b', 'c'], ['b'], ['c'], ['d'], ['e'], ['f']]],
    [403, 'again later', [['first'], ['a'], ['b', 'c'], ['b'], ['c'], ['d'], ['e', 'f'], ['e'], ['f']]],
    [429, 'again later', [['first'], ['a'], ['b', 'c'], ['b'], ['c'], ['d'], ['e', 'f'], ['e'], ['f']]],
  ])(
    'are written alone if a shared request is refused with %s, and share one %s',
    async (code, _what, expected) => {
      const { requests, apply, all } = writing(() => Promise.reject(failure(code)))
      await apply(write('first'))
      expect(await all(['a', 'b', 'c'])).toEqual([done('"alone"'), done('"alone"'), done('"alone"')])
      await all(['d', 'e', 'f'])
      expect(requests).toEqual(expected)
    },
  )

  it.each([
    ['before the physical partition is known', ['0'], []],
    ['in several physical partitions', ['0', '1'], ['first', 'second']],
  ])('share no request %s', async (_when, rangeIds, before) => {
    const { requests, apply, all } = writing(() => Promise.resolve([]), rangeIds)
    for (const id of before) await apply(write(id))
    await all(['a', 'b', 'c'])
    expect(requests).toEqual([...before, 'a', 'b', 'c'].map((id) => [id]))
  })

  it('share no request with creates, with large documents and with those of another partition', async () => {
    const { requests, store, apply } = writing(() => Promise.resolve([]))
    await apply(write('first'))
    const large = write('large', 'x'.repeat(100_000))
    const created = (id: string): StateWrite => ({ kind: 'create', document: { id, pk: id } })
    await Promise.all([
      apply(write('a')),
      apply(large),
      apply(created('new')),
      apply(created('newer')),
      store.apply('q', [write('misplaced')]),
    ])
    expect(requests.sort()).toEqual([['a'], ['first'], ['large'], ['misplaced']])
  })
})

import { describe, expect, it } from 'vitest'
import {
  acquire,
  checkpoint,
  CosmosLeaseStore,
  RefusedLeaseError,
  renew,
  type Lease,
  type LeaseWrite,
  type NewLease,
} from '../../../../lease-store/index.js'
import { aNewLease } from '../../../support/a-lease.js'
import { cosmosWorld, type CosmosWorld } from '../../../support/cosmos-world.js'
import { storeError } from '../../../support/intercepted.js'

const self = { instanceName: 'a', incarnation: 'a-1' }
const randomKey = '6f1b0c52-52a9-4f0e-8f6e-0c8f3c8c5a11'
const range = { min: '10', max: '20' }

/** The part of a request that plug-ins of the SDK see. */
interface PluginRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, unknown>>
}

interface PluginAnswer {
  result?: unknown
  readonly headers: Record<string, string | undefined>
}

/** Handles a request to the lease container. */
type Line = (request: PluginRequest, answer: () => Promise<PluginAnswer>) => Promise<PluginAnswer>

async function storeThrough(world: CosmosWorld, line: Line): Promise<CosmosLeaseStore> {
  const plugin = (
    request: PluginRequest,
    _diagnostics: unknown,
    next: (on: object) => Promise<PluginAnswer>,
  ) => line(request, () => next(request))
  const client = world.client({ plugins: [{ on: 'request', plugin }] } as object)
  const { monitoredContainer } = world
  const leaseContainer = client.database('shop').container('leases')
  return CosmosLeaseStore.open({ leaseContainer, monitoredContainer, processorName: 'unit' })
}

function isWrite({ method, path, headers }: PluginRequest): boolean {
  const isQuery = headers?.['x-ms-documentdb-isquery'] !== undefined
  return path?.includes('/docs') === true && method !== 'GET' && !isQuery
}

/** Removes the document from the answer to a replace. */
const withoutContent: Line = async (request, answer) => {
  const answered = await answer()
  return request.method === 'PUT' ? Object.assign(answered, { result: null }) : answered
}

async function created(store: CosmosLeaseStore, lease: NewLease = aNewLease()): Promise<Lease> {
  const outcome = await store.create(lease)
  if (outcome.kind !== 'created') throw new RangeError('the lease was there')
  return outcome.lease
}

function written(outcome: LeaseWrite): Lease {
  if (outcome.kind !== 'written') throw new Error(outcome.kind)
  return outcome.lease
}

async function documentsIn({ leaseContainer }: CosmosWorld): Promise<Record<string, unknown>[]> {
  return (await leaseContainer.items.query<Record<string, unknown>>('SELECT * FROM c').fetchAll()).resources
}

describe('a created lease', () => {
  const partition = aNewLease({ leaseToken: '7', feedRange: range, firstPosition: null })
  const bounds = aNewLease({ leaseToken: '10-20', feedRange: range, mode: 'Full-Fidelity Feed' })

  it.each([
    { name: 'B113: of a range, by /id', partitioning: '/id', lease: bounds, version: 1 },
    {
      name: 'B114, B120: a range, by /partitionKey',
      partitioning: '/partitionKey',
      lease: bounds,
      version: 1,
    },
    { name: 'B116: of a partition, by /id', partitioning: '/id', lease: partition, version: 0 },
    {
      name: 'B117, B118: partition, /partitionKey',
      partitioning: '/partitionKey',
      lease: partition,
      version: 0,
    },
  ] as const)(
    'has its id, token, version and mode, and a partition key from its id ($name)',
    async ({ partitioning, lease, version }) => {
      const world = await cosmosWorld('SDK in process', { leasePartitioning: partitioning })
      const store = await storeThrough(world, (_request, answer) => answer())
      await created(store, lease)
      const [document, ...others] = await documentsIn(world)
      expect(others).toEqual([])
      const { leaseToken, mode } = lease
      expect(document).toMatchObject({
        id: expect.stringMatching(new RegExp(`^unit.*\\.\\.${leaseToken}$`)) as string,
        LeaseToken: leaseToken,
        FeedRange: { Range: range },
        Mode: mode,
        version,
      })
      expect(document?.['partitionKey']).toBe(partitioning === '/id' ? undefined : document?.['id'])
    },
  )

  it.each([
    ['of a partition (B122)', partition],
    ['of a range (B123)', bounds],
  ])('exists once when two hosts create it at once, with either partitioning: %s', async (_name, lease) => {
    for (const leasePartitioning of ['/id', '/partitionKey'] as const) {
      const world = await cosmosWorld('SDK in process', { leasePartitioning })
      const stores = [await world.leaseStore(), await world.leaseStore()]
      const outcomes = await Promise.all(stores.map((store) => store.create(lease)))
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['alreadyExists', 'created'])
      expect(await documentsIn(world)).toHaveLength(1)
    }
  })
})

describe('a lease that another SDK wrote', () => {
  it('is refused when it exists twice, under different partition keys (F-L4, B142)', async () => {
    const world = await cosmosWorld('SDK in process', { leasePartitioning: '/partitionKey' })
    const store = await world.leaseStore()
    const outcome = await store.create(aNewLease())
    if (outcome.kind !== 'created') throw new RangeError('the container was empty')
    expect((await store.list()).leases).toHaveLength(1)
    await world.leaseContainer.items.create({ ...outcome.lease.document, partitionKey: 'random' })
    await expect(store.list()).rejects.toThrow(RefusedLeaseError)
    await expect(store.list()).rejects.toThrow(/it exists twice, under different partition keys/)
  })

  it('under a random key is acquired, renewed and checkpointed with it (B102, B124, B125)', async () => {
    const world = await cosmosWorld('SDK in process', { leasePartitioning: '/partitionKey' })
    const keys: unknown[] = []
    const store = await storeThrough(world, (request, answer) => {
      if (isWrite(request)) keys.push(request.headers?.['x-ms-documentdb-partitionkey'])
      return answer()
    })
    const { document } = await created(store)
    await world.leaseContainer.items.create({ ...document, partitionKey: randomKey })
    await world.leaseContainer.item(String(document['id']), String(document['id'])).delete()
    const stored = await store.read('0')
    if (stored === null) throw new Error('the lease is gone')
    keys.length = 0
    const acquired = written(await store.replace(acquire(stored, self, 1)))
    const renewed = written(await store.replace(renew(acquired, 2)))
    written(await store.replace(checkpoint(renewed, '"7"', 3)))
    expect(new Set(keys.map(String))).toEqual(new Set([JSON.stringify([randomKey])]))
    expect(await documentsIn(world)).toMatchObject([
      {
        partitionKey: randomKey,
        Owner: 'a',
        ContinuationToken: '"7"',
        timestamp: '1970-01-01T00:00:00.003Z',
      },
    ])
  })

  it('without a range gets its range when it is acquired (B133)', async () => {
    const world = await cosmosWorld('SDK in process', { partitionCount: 2 })
    const store = await world.leaseStore()
    const [first] = await world.feed().physicalRanges()
    const outcome = await store.create(aNewLease({ leaseToken: '0' }))
    if (outcome.kind !== 'created') throw new RangeError('the container was empty')
    const { FeedRange: _range, ...old } = outcome.lease.document
    await world.leaseContainer.items.upsert(old)
    const [listed] = (await store.list()).leases
    if (listed === undefined) throw new Error('the lease is gone')
    written(await store.replace(acquire(listed, self, 1)))
    expect(await documentsIn(world)).toMatchObject([
      { Owner: 'a', FeedRange: { Range: { min: first?.min, max: first?.max } } },
    ])
  })
})

describe('the answer to a write', () => {
  it('without a body gives the lease the etag of its header for the next write (B365, B373)', async () => {
    const world = await cosmosWorld('SDK in process')
    const conditions: unknown[] = []
    const store = await storeThrough(world, (request, answer) => {
      const condition = request.headers?.['If-Match']
      if (isWrite(request)) conditions.push(condition)
      return withoutContent(request, answer)
    })
    const first = await created(
      store,
      aNewLease({ leaseToken: 'AA-BB', feedRange: { min: 'AA', max: 'BB' } }),
    )
    expect(first).toMatchObject({ leaseToken: 'AA-BB', owner: null })
    const second = written(await store.replace(acquire(first, self, 1)))
    const third = written(await store.replace(checkpoint(second, '"7"', 2)))
    expect(conditions).toEqual([undefined, first.etag, second.etag])
    expect(third).toMatchObject({ owner: 'a', incarnation: 'a-1', continuationToken: '"7"', timestampMs: 2 })
    const { document: _document, ...fields } = third
    expect(await store.read('AA-BB')).toMatchObject(fields)
  })

  it('without a body and an etag leaves the outcome of the write unknown (B369)', async () => {
    const world = await cosmosWorld('SDK in process')
    const store = await storeThrough(world, async (request, answer) => {
      const answered = await withoutContent(request, answer)
      if (request.method === 'PUT') answered.headers['etag'] = undefined
      return answered
    })
    const first = await created(store)
    expect(await store.replace(acquire(first, self, 1))).toMatchObject({ kind: 'unknownOutcome' })
    expect(await store.read('0')).toMatchObject({ owner: 'a', timestampMs: 1 })
    expect(await store.replace(acquire(first, self, 2))).toEqual({ kind: 'conflict' })
  })

  it('with a body gives the lease the etag of the body (B368)', async () => {
    const world = await cosmosWorld('SDK in process')
    const store = await storeThrough(world, async (request, answer) => {
      const answered = await answer()
      if (isWrite(request)) answered.headers['etag'] = '"another"'
      return answered
    })
    const first = await created(store)
    const second = written(await store.replace(acquire(first, self, 1)))
    expect(await store.read('0')).toMatchObject({ etag: second.etag, owner: 'a' })
  })
})

describe('the initialization lock', () => {
  it('is released only with the etag from the header of its creation (B376)', async () => {
    const world = await cosmosWorld('SDK in process')
    let told: string | undefined
    const conditions: unknown[] = []
    const { initialization } = await storeThrough(world, async (request, answer) => {
      if (request.method === 'DELETE') conditions.push(request.headers?.['If-Match'])
      const answered = await answer()
      if (isWrite(request)) told ??= answered.headers['etag']
      return answered
    })
    expect(await initialization.tryLock(30)).toBe(true)
    await initialization.unlock()
    expect(told).toMatch(/^".+"$/)
    expect(conditions).toEqual([told])
    expect(await documentsIn(world)).toEqual([])
  })
})

describe('a lease container', () => {
  it('that refuses the lock causes an error instead of a wait for another instance (B94)', async () => {
    const world = await cosmosWorld('SDK in process')
    const store = await storeThrough(world, (request, answer) =>
      isWrite(request) ? Promise.reject(storeError(403)) : answer(),
    )
    await expect(store.initialization.tryLock(30)).rejects.toMatchObject({ code: 403 })
  })

  it('with the partition key of the system is refused (B98)', async () => {
    const world = await cosmosWorld('SDK in process')
    const opening = storeThrough(world, async (request, answer) => {
      const answered = await answer()
      const isContainer = request.path?.endsWith('/colls/leases') === true
      const partitionKey = { paths: ['/_partitionKey'], kind: 'Hash', systemKey: true }
      return isContainer
        ? Object.assign(answered, { result: { ...(answered.result as object), partitionKey } })
        : answered
    })
    await expect(opening).rejects.toThrow(
      /partitioned by \/_partitionKey, .* create and name another container, partitioned by \/id/,
    )
  })
})

import type { Container } from '@azure/cosmos'
import { describe, expect, it } from 'vitest'
import {
  ChangeFeedProcessor,
  DelegateError,
  type ChangeFeedContext,
  type ChangeFeedProcessorOptions,
} from '../../../src/change-feed-processor/index.js'
import { enginePorts } from '../../../src/engine-ports/index.js'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { seededRandom } from '../../../src/platform/index.js'
import { cosmosWorld, doors, type CosmosWorld } from '../../support/cosmos-world.js'
import { processorWorld } from '../../support/processor-world.js'

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index}`)

type Given = Partial<ChangeFeedProcessorOptions<Record<string, unknown>>>

/** A processor on containers of the SDK, as users create it. */
function processorOn(world: CosmosWorld, given: Given): ChangeFeedProcessor {
  return new ChangeFeedProcessor(
    {
      monitoredContainer: world.monitoredContainer,
      leaseContainer: world.leaseContainer,
      processorName: 'unit',
      instanceName: 'one',
      onChanges: () => undefined,
      ...given,
    },
    { clock: world.clock, random: seededRandom(1) },
  )
}

describe.each(doors)('a processor from start to stop, on %s', (door) => {
  it('delivers a hundred documents in the order in which they were written (B1)', async () => {
    const world = await processorWorld(door)
    const one = await world.instance('one', { startFrom: 'now' })
    await one.processor.start()
    for (const id of numbered(100)) await world.put(id)
    await world.clock.advance(10_000)
    await one.processor.stop()
    expect(one.delivered).toEqual(numbered(100))
  })

  it('returns to its last manual checkpoint after a failure, and reports one error (B16, B17)', async () => {
    const world = await processorWorld(door)
    const seen: string[] = []
    const one = await world.instance('one', {
      startFrom: 'now',
      checkpoint: 'manual',
      maxItemCount: 1,
      onChanges: async ([change], { checkpoint }) => {
        seen.push(change?.id ?? '')
        if (seen.length === 1) await checkpoint()
        if (seen.length === 3) throw new RangeError('the third')
      },
    })
    await one.processor.start()
    for (const id of numbered(10)) await world.put(id)
    await world.clock.advance(60_000)
    await one.processor.stop()
    expect(seen.join('.')).toBe('0.1.2.1.2.3.4.5.6.7.8.9')
    expect(one.notifications).toEqual(['acquired 0', 'error 0: DelegateError', 'released 0: Shutdown'])
    const [{ error } = { error: null }] = one.telemetry.of('delegate.failed')
    expect(error).toBeInstanceOf(DelegateError)
    expect(error).toMatchObject({ leaseToken: '0', cause: new RangeError('the third') })
  })

  it('delivers documents beyond one page in order, and keeps transactions whole (B19)', async () => {
    const world = await processorWorld(door)
    const pages: string[][] = []
    const one = await world.instance('one', {
      maxItemCount: 6,
      onChanges: (changes) => void pages.push(changes.map(({ id }) => id)),
    })
    const together = async (ids: readonly string[]): Promise<void> => {
      const operations = ids.map((id) => ({
        operationType: 'Create' as const,
        resourceBody: { id, pk: 'same', value: 'y'.repeat(900_000) },
      }))
      await world.monitoredContainer.items.batch(operations, 'same')
    }
    await together(['0', '1'])
    await world.put('2', { pk: 'same', value: 'x'.repeat(1_500_000) })
    await together(['3', '4'])
    await one.processor.start()
    await world.clock.advance(10_000)
    await one.processor.stop()
    expect(pages.flat()).toEqual(numbered(5))
    expect(pages.length).toBeGreaterThan(1)
    expect(pages.filter((ids) => ids.includes('3') !== ids.includes('4'))).toEqual([])
  })

  it.each([new Date(0), new Date('0001-01-01T00:00:00Z'), new Date(-8.64e15)])(
    'delivers every existing and every later document when it starts from %j (B20, B21)',
    async (startFrom) => {
      const world = await processorWorld(door)
      for (const id of ['0', '1']) await world.put(id)
      const one = await world.instance('one', { startFrom })
      await one.processor.start()
      await world.put('2')
      await world.clock.advance(1_000)
      await one.processor.stop()
      expect(one.delivered).toEqual(numbered(3))
    },
  )

  it('reads one range while the delegate of another is busy (B69)', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const busy: string[] = []
    const one = await world.instance('one', {
      onChanges: (changes, { leaseToken }) => {
        if (leaseToken !== '0') return
        busy.push(...changes.map(({ id }) => id))
        return new Promise(() => undefined)
      },
      stopTimeout: 1,
    })
    for (const id of numbered(20)) await world.put(id)
    await one.processor.start()
    await world.clock.advance(1_000)
    expect(busy.length).toBeGreaterThan(0)
    expect([...one.delivered, ...busy].sort()).toEqual(numbered(20).sort())
    const stopping = one.processor.stop()
    await world.clock.advance(1)
    await stopping
  })
})

describe('a processor on containers of the SDK, from start to stop', () => {
  it('needs no access outside its two containers (B2)', async () => {
    const world = await cosmosWorld('SDK in process')
    const delivered: string[] = []
    const asked = new Set<string>()
    const allowed = /^\/dbs\/shop\/colls\/(orders|leases)(\/|$)/
    const plugin = (
      request: { readonly path?: string },
      _diagnostics: unknown,
      next: (request: object) => Promise<unknown>,
    ): Promise<unknown> => {
      const path = request.path ?? ''
      asked.add(path)
      // Every token may read the account itself.
      if (path === '' || path === '/' || allowed.test(path)) return next(request)
      return Promise.reject(Object.assign(new Error(`${path} is forbidden`), { code: 403 }))
    }
    const restricted = world.client({ plugins: [{ on: 'request', plugin }] } as object).database('shop')
    const processor = processorOn(world, {
      monitoredContainer: restricted.container('orders'),
      leaseContainer: restricted.container('leases'),
      onChanges: (changes) => void delivered.push(...changes.map(({ id }) => id)),
    })
    await processor.start()
    for (const id of numbered(3)) await world.put(id)
    await world.clock.advance(20_000)
    await processor.stop()
    expect(delivered).toEqual(numbered(3))
    expect([...asked].some((path) => path.includes('/colls/leases/docs'))).toBe(true)
  })

  it('delivers documents without a declared type as they were stored (B9)', async () => {
    const world = await cosmosWorld('SDK in process')
    const delivered: unknown[] = []
    const processor = processorOn(world, { onChanges: (changes) => void delivered.push(...changes) })
    await processor.start()
    const stored = {
      nested: { list: [1, null, { deep: 'ü€😀' }] },
      none: null,
      isSo: false,
      total: 1.5e300,
      '': 'x',
    }
    await world.put('1', stored)
    await world.clock.advance(1_000)
    await processor.stop()
    expect(delivered).toEqual([expect.objectContaining({ id: '1', pk: '1', ...stored })])
  })

  it('can keep its leases in memory (B10, B11, B136, B137, B236, B255, B260)', async () => {
    const world = await cosmosWorld('SDK in process', { partitionCount: 3 })
    const leaseStore = await leasesInMemory(world)
    const delivered: unknown[] = []
    const processor = processorOn(world, {
      leaseContainer: leaseStore,
      onChanges: (changes) => void delivered.push(...changes.map(({ total }) => total)),
    })
    await processor.start()
    for (const id of numbered(10)) await world.put(id, { total: { of: id } })
    await world.clock.advance(20_000)
    const { leases } = await leaseStore.list()
    expect(leases.map(({ owner }) => owner)).toEqual(['one', 'one', 'one'])
    expect(delivered).toHaveLength(10)
    expect(delivered).toEqual(expect.arrayContaining(numbered(10).map((of) => ({ of }))))
    await processor.stop()
    expect(await documentsIn(world.leaseContainer)).toEqual([])
    // Another process begins without leases.
    expect((await (await leasesInMemory(world)).list()).leases).toEqual([])
  })

  it('gives its delegate the lease, range, charge and session of each page (B13, B14)', async () => {
    const world = await cosmosWorld('SDK in process', { partitionCount: 2 })
    const contexts: ChangeFeedContext[] = []
    const delivered: string[] = []
    const processor = processorOn(world, {
      onChanges: (changes, context) => {
        delivered.push(...changes.map(({ id }) => id))
        contexts.push(context)
      },
    })
    await processor.start()
    for (const id of numbered(10)) await world.put(id, { pk: `k${Number(id) % 3}` })
    await world.clock.advance(10_000)
    await processor.stop()
    for (const key of [0, 1, 2]) {
      const own = delivered.filter((id) => Number(id) % 3 === key)
      expect(own).toEqual(numbered(10).filter((id) => Number(id) % 3 === key))
    }
    const ranges = await world.feed().physicalRanges()
    expect(contexts.length).toBeGreaterThan(1)
    for (const { leaseToken, feedRange, requestCharge, sessionToken, headers, diagnostics } of contexts) {
      const range = ranges.find(({ id }) => id === leaseToken)
      expect(feedRange).toEqual({ min: range?.min, max: range?.max })
      expect(requestCharge).toBeGreaterThan(0)
      expect(headers['x-ms-session-token']).toBe(sessionToken)
      expect(sessionToken).toMatch(new RegExp(`^${leaseToken}:`))
      expect(diagnostics).toHaveProperty('clientSideRequestStatistics')
    }
  })
})

describe('a lease document', () => {
  const ofLeases = (documents: readonly Record<string, unknown>[]) =>
    documents.filter(({ id }) => String(id).includes('..'))

  it('partitioned by /id has a token, but neither PartitionId nor partitionKey (B4, B5)', async () => {
    const world = await cosmosWorld('SDK in process', { partitionCount: 2 })
    const processor = processorOn(world, {})
    await processor.start()
    await processor.stop()
    const documents = await documentsIn(world.leaseContainer)
    expect(
      ofLeases(documents)
        .map(({ LeaseToken }) => LeaseToken)
        .sort(),
    ).toEqual(['0', '1'])
    for (const document of documents) {
      expect(document).not.toHaveProperty('PartitionId')
      expect(document).not.toHaveProperty('partitionKey')
    }
  })

  it('partitioned by /partitionKey repeats its id there, and the processor works (B23, B24)', async () => {
    const world = await cosmosWorld('SDK in process', {
      partitionCount: 2,
      leasePartitioning: '/partitionKey',
    })
    const delivered: string[] = []
    const processor = processorOn(world, {
      onChanges: (changes) => void delivered.push(...changes.map(({ id }) => id)),
    })
    await processor.start()
    for (const id of numbered(10)) await world.put(id)
    await world.clock.advance(20_000)
    await processor.stop()
    expect(delivered.sort()).toEqual(numbered(10))
    const documents = await documentsIn(world.leaseContainer)
    expect(documents).toHaveLength(3)
    for (const { id, partitionKey } of documents) expect(partitionKey).toBe(id)
  })

  it('of the V2 library is continued, and then has both names of the token (B6, B7)', async () => {
    const world = await cosmosWorld('SDK in process', { partitionCount: 2 })
    const delivered: string[] = []
    const processor = processorOn(world, {
      onChanges: (changes) => void delivered.push(...changes.map(({ id }) => id)),
    })
    await processor.start()
    for (const id of numbered(10)) await world.put(id)
    await world.clock.advance(10_000)
    await processor.stop()
    for (const { LeaseToken: PartitionId, ...lease } of ofLeases(await documentsIn(world.leaseContainer)))
      await world.leaseContainer.items.upsert({ ...lease, PartitionId })
    for (const id of numbered(20).slice(10)) await world.put(id)
    await processor.start()
    await world.clock.advance(10_000)
    await processor.stop()
    expect(delivered).toHaveLength(20)
    expect(new Set(delivered)).toEqual(new Set(numbered(20)))
    const migrated = ofLeases(await documentsIn(world.leaseContainer))
    expect(migrated.map(({ LeaseToken, PartitionId }) => [LeaseToken, PartitionId]).sort()).toEqual([
      ['0', '0'],
      ['1', '1'],
    ])
  })
})

/** A lease store that exists only in the memory of this process. */
async function leasesInMemory(world: CosmosWorld) {
  const cosmos = createInProcessCosmos({ clock: world.clock, random: seededRandom(2) })
  const { database } = await cosmos.client().databases.create({ id: 'memory' })
  for (const id of ['orders', 'leases'])
    await database.containers.create({ id, partitionKey: '/id', defaultTtl: -1 })
  const ports = enginePorts(cosmos.engine, 'memory')
  return ports.leaseStore({ leaseContainer: 'leases', monitoredContainer: 'orders', processorName: 'unit' })
}

async function documentsIn(container: Container): Promise<Record<string, unknown>[]> {
  return (await container.items.query<Record<string, unknown>>('SELECT * FROM c').fetchAll()).resources
}

import { describe, expect, it } from 'vitest'
import {
  ChangeFeedProcessor,
  ProcessorOptionsError,
  resetProcessor,
  type VersionChange,
} from '../../../src/change-feed-processor/index.js'
import { seededRandom } from '../../../src/platform/index.js'
import { cosmosWorld, doors, type CosmosWorld } from '../../support/cosmos-world.js'

interface Order {
  readonly id: string
  readonly total?: number
}

type Mode = 'latestVersion' | 'allVersionsAndDeletes'

async function versions(
  world: CosmosWorld,
  delivered: VersionChange<Order>[],
): Promise<ChangeFeedProcessor<Order>> {
  return new ChangeFeedProcessor<Order>(
    {
      ...(await common(world)),
      mode: 'allVersionsAndDeletes',
      onChanges: (changes) => {
        delivered.push(...changes)
      },
    },
    timeOf(world),
  )
}

const ignore = (): void => undefined

async function common(world: CosmosWorld) {
  return {
    monitoredContainer: world.feed(),
    leaseContainer: await world.leaseStore(),
    processorName: 'unit',
    instanceName: 'one',
  }
}

function timeOf({ clock }: CosmosWorld) {
  return { clock, random: seededRandom(1) }
}

async function inMode(world: CosmosWorld, mode: Mode): Promise<ChangeFeedProcessor<Order>> {
  if (mode === 'allVersionsAndDeletes') return versions(world, [])
  return new ChangeFeedProcessor<Order>({ ...(await common(world)), onChanges: ignore }, timeOf(world))
}

describe.each(doors)('a processor of all versions and deletes, on %s (§8.1)', (door) => {
  it('delivers create, replace and delete in order, each linked to the version before (B35)', async () => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    await world.put('before')
    const delivered: VersionChange<Order>[] = []
    const processor = await versions(world, delivered)
    await processor.start()
    for (const total of [5, 6]) {
      await world.put('1', { total })
      await world.clock.advance(1_000)
    }
    await world.remove('1')
    await world.clock.advance(1_000)
    const operations = delivered.map(({ metadata }) => metadata.operationType)
    expect(operations).toEqual(['create', 'replace', 'delete'])
    const [created, replaced, deleted] = delivered.map(({ metadata }) => metadata)
    expect(replaced?.previousImageLSN).toBe(created?.lsn)
    expect(deleted?.previousImageLSN).toBe(replaced?.lsn)
    const rising = (numbers: readonly number[]) => [...new Set(numbers)].sort((left, right) => left - right)
    for (const field of ['lsn', 'crts'] as const) {
      const values = delivered.map(({ metadata }) => metadata[field])
      expect(values).toEqual(rising(values))
    }
    expect(created).not.toHaveProperty('id')
    expect(replaced).not.toHaveProperty('partitionKey')
    expect(deleted).toMatchObject({ id: '1', partitionKey: { pk: '1' }, timeToLiveExpired: false })
    expect(delivered[2]).toMatchObject({ current: {}, previous: { total: 6 } })
    await processor.stop()
  })

  it('delivers an expired document as a creation and a deletion by time to live (B34)', async () => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    const delivered: VersionChange<Order>[] = []
    const processor = await versions(world, delivered)
    await processor.start()
    await world.put('1', { ttl: 5, pk: 'key' })
    await world.clock.advance(30_000)
    await processor.stop()
    const [created, deleted] = delivered
    expect(delivered).toHaveLength(2)
    expect(created).toMatchObject({ current: { id: '1', ttl: 5 }, metadata: { operationType: 'create' } })
    expect(created).not.toHaveProperty('previous')
    for (const field of ['id', 'partitionKey', 'timeToLiveExpired'])
      expect(created?.metadata[field as 'id'] ?? null).toBeNull()
    expect(deleted).toMatchObject({
      current: {},
      metadata: {
        operationType: 'delete',
        timeToLiveExpired: true,
        id: '1',
        partitionKey: { pk: 'key' },
        previousImageLSN: created?.metadata.lsn,
      },
    })
  })

  it.each<[Mode, boolean]>([
    ['latestVersion', true],
    ['allVersionsAndDeletes', false],
  ])(
    'treats leases without a mode as leases of latest versions: mode %s starts: %j (B37, B41)',
    async (mode, isFine) => {
      const world = await cosmosWorld(door, { keepsVersions: true })
      const before = await inMode(world, 'latestVersion')
      await before.start()
      await before.stop()
      const [lease] = (await (await world.leaseStore()).list()).leases
      const { Mode: _mode, ...legacy } = lease?.document ?? {}
      await world.leaseContainer.items.upsert(legacy)
      const again = await inMode(world, mode)
      if (isFine) await again.start()
      else await expect(again.start()).rejects.toThrow(/"Incremental Feed".*keeps its mode/)
      await again.stop()
    },
  )

  it.each(['beginning', new Date(Date.UTC(2026, 0, 1))])(
    'refuses to start from %j, and writes nothing (B42, B43, B244, B245)',
    async (startFrom) => {
      const world = await cosmosWorld(door, { keepsVersions: true })
      const given = { ...(await common(world)), mode: 'allVersionsAndDeletes', startFrom } as object
      const processor = new ChangeFeedProcessor(
        {
          ...(given as Awaited<ReturnType<typeof common>>),
          onChanges: ignore,
        },
        timeOf(world),
      )
      await expect(processor.start()).rejects.toThrow(/startFrom is .* feed of mode "allVersionsAndDeletes"/)
      const { resources } = await world.leaseContainer.items.readAll().fetchAll()
      expect(resources).toEqual([])
    },
  )

  it('begins at the position of the feed at its start, not at a time (B243)', async () => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    await world.put('before')
    const processor = await versions(world, [])
    await processor.start()
    const { leases } = await (await world.leaseStore()).list()
    expect(leases).toMatchObject([{ continuationToken: '"1"', firstPosition: null }])
    await processor.stop()
  })

  it('gives its delegate the tokens of the stored leases (B336)', async () => {
    const world = await cosmosWorld(door, { keepsVersions: true, partitionCount: 3 })
    const tokens = new Set<string>()
    const processor = new ChangeFeedProcessor<Order>(
      {
        ...(await common(world)),
        mode: 'allVersionsAndDeletes',
        onChanges: (_changes, { leaseToken }) => void tokens.add(leaseToken),
      },
      timeOf(world),
    )
    await processor.start()
    for (let id = 0; id < 20; id += 1) await world.put(`${id}`)
    await world.clock.advance(1_000)
    await processor.stop()
    const { leases } = await (await world.leaseStore()).list()
    expect(tokens).toEqual(new Set(leases.map(({ leaseToken }) => leaseToken)))
  })

  it('takes over the lease of a dead owner at its stored position (B340)', async () => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    const delivered: VersionChange<Order>[] = []
    const before = await versions(world, delivered)
    await before.start()
    await world.put('1')
    await world.clock.advance(6_000)
    await before.stop()
    const store = await world.leaseStore()
    const [lease] = (await store.list()).leases
    if (lease === undefined) throw new Error('the lease is gone')
    await store.replace({ ...lease, owner: 'dead', incarnation: null, timestampMs: 0 })
    await world.put('2')
    const processor = await versions(world, delivered)
    await processor.start()
    await world.clock.advance(59_000)
    expect(delivered).toHaveLength(1)
    await world.clock.advance(20_000)
    expect(delivered.map(({ current }) => current.id)).toEqual(['1', '2'])
    await processor.stop()
  })

  it('continues where it stopped when it is started again in the same mode (B39, B44, B335)', async () => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    const delivered: VersionChange<Order>[] = []
    const processor = await versions(world, delivered)
    for (const id of ['1', '2']) {
      await processor.start()
      await world.put(id)
      await world.clock.advance(6_000)
      await processor.stop()
    }
    expect(delivered.map(({ current }) => current.id)).toEqual(['1', '2'])
    const { leases } = await (await world.leaseStore()).list()
    expect(leases).toMatchObject([{ mode: 'Full-Fidelity Feed' }])
  })

  it.each<[Mode, Mode]>([
    ['latestVersion', 'allVersionsAndDeletes'],
    ['allVersionsAndDeletes', 'latestVersion'],
  ])('refuses to switch a unit from %s to %s (B36, B38, B337, B338)', async (first, second) => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    const before = await inMode(world, first)
    await before.start()
    await before.stop()
    await expect((await inMode(world, second)).start()).rejects.toThrow(/keeps its mode/)
  })

  it('misses no document when its range splits (B341)', async () => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    const delivered: VersionChange<Order>[] = []
    const processor = await versions(world, delivered)
    await processor.start()
    const all = Array.from({ length: 20 }, (_, index) => `d${index}`)
    for (const id of all.slice(0, 10)) await world.put(id)
    world.split('0')
    for (const id of all.slice(10)) await world.put(id)
    await world.clock.advance(20_000)
    const { leases } = await (await world.leaseStore()).list()
    expect(new Set(delivered.map(({ current }) => current.id))).toEqual(new Set(all))
    expect(leases.map(({ mode }) => mode)).toEqual(['Full-Fidelity Feed', 'Full-Fidelity Feed'])
    await processor.stop()
  })

  it('can be reset to now, but not to the beginning', async () => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    const delivered: VersionChange<Order>[] = []
    const processor = await versions(world, delivered)
    await processor.start()
    await processor.stop()
    await world.put('skipped')
    const { instanceName: _instanceName, ...unit } = await common(world)
    await expect(resetProcessor({ ...unit, to: 'beginning' }, world)).rejects.toBeInstanceOf(
      ProcessorOptionsError,
    )
    await resetProcessor({ ...unit, to: 'now' }, world)
    await processor.start()
    await world.put('next')
    await world.clock.advance(1_000)
    expect(delivered.map(({ current }) => current.id)).toEqual(['next'])
    await processor.stop()
  })

  it('delivers change by change, in order per partition key', async () => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    const delivered: string[] = []
    const processor = new ChangeFeedProcessor<Order>(
      {
        ...(await common(world)),
        mode: 'allVersionsAndDeletes',
        concurrency: 4,
        onChange: ({ metadata }) => {
          delivered.push(metadata.operationType)
        },
      },
      timeOf(world),
    )
    await processor.start()
    await world.put('1')
    await world.remove('1')
    await world.clock.advance(1_000)
    expect(delivered).toEqual(['create', 'delete'])
    await processor.stop()
  })
})

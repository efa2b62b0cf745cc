import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { CosmosLeaseStore } from '../../../lease-store/index.js'
import { ChangeFeedProcessor } from '../../../src/change-feed-processor/index.js'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { seededRandom, type VirtualClock } from '../../../src/platform/index.js'
import { aNewLease } from '../../support/a-lease.js'
import { cosmosWorld, type CosmosWorld } from '../../support/cosmos-world.js'
import { deferred } from '../../support/deferred.js'

const folders: string[] = []

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stepward-leases-'))
  folders.push(folder)
  return folder
}

/** An in-process Cosmos DB that keeps its documents in `dataDirectory`, with the leases of a unit. */
async function opened(world: CosmosWorld, dataDirectory: string) {
  const cosmos = createInProcessCosmos({ clock: world.clock, random: seededRandom(2), dataDirectory })
  const { database } = await cosmos.client().databases.createIfNotExists({ id: 'memory' })
  const { container } = await database.containers.createIfNotExists({
    id: 'leases',
    partitionKey: '/id',
    defaultTtl: -1,
  })
  const store = await CosmosLeaseStore.open({
    leaseContainer: container,
    monitoredContainer: world.monitoredContainer,
    processorName: 'unit',
  })
  return { cosmos, container, store }
}

async function closed(cosmos: InProcessCosmos, clock: VirtualClock): Promise<void> {
  const closing = cosmos.close()
  await clock.advance(1_000)
  await closing
}

describe('leases that an in-process Cosmos DB keeps in a folder', () => {
  it('are absent at first, and survive a restart (B138, B249, B262, B263, B265)', async () => {
    const world = await cosmosWorld('SDK in process', { partitionCount: 2 })
    const folder = await aFolder()
    const delivered: string[] = []
    for (const round of [1, 2]) {
      const { cosmos, store } = await opened(world, folder)
      const before = (await store.list()).leases
      expect(before.map(({ leaseToken, owner }) => [leaseToken, owner]).sort()).toEqual(
        round === 1
          ? []
          : [
              ['0', null],
              ['1', null],
            ],
      )
      const read = deferred()
      const processor = new ChangeFeedProcessor(
        {
          monitoredContainer: world.monitoredContainer,
          leaseContainer: store,
          processorName: 'unit',
          instanceName: `process-${round}`,
          startFrom: 'beginning',
          onChanges: (changes) => {
            delivered.push(...changes.map(({ id }) => id))
            if (delivered.length >= 10 * round) read.resolve()
          },
        },
        { clock: world.clock, random: seededRandom(round) },
      )
      for (let id = 0; id < 10; id += 1) await world.put(`${round}-${id}`)
      await processor.start()
      // Writes to the folder do not wait for the virtual clock.
      await read.promise
      await processor.stop()
      expect(delivered).toHaveLength(10 * round)
      await closed(cosmos, world.clock)
    }
    expect(new Set(delivered).size).toBe(20)
  })

  it('of partitions and of ranges are read back as last written (B140, B141, B144)', async () => {
    const world = await cosmosWorld('SDK in process')
    const folder = await aFolder()
    const first = await opened(world, folder)
    for (const lease of [
      aNewLease({ leaseToken: '0', properties: { note: 'kept' } }),
      aNewLease({ leaseToken: '10-20', feedRange: { min: '10', max: '20' }, mode: 'Full-Fidelity Feed' }),
    ])
      await first.store.create(lease)
    for (const lease of (await first.store.list()).leases)
      for (const continuationToken of ['"1"', '"2"']) {
        const stored = await first.store.read(lease.leaseToken)
        if (stored === null) throw new Error('the lease is gone')
        await first.store.replace({ ...stored, continuationToken, owner: 'one', timestampMs: 5 })
      }
    const written = (await first.store.list()).leases
    await closed(first.cosmos, world.clock)
    const second = await opened(world, folder)
    const { leases } = await second.store.list()
    expect(leases).toEqual(written)
    expect(leases.map(({ continuationToken }) => continuationToken)).toEqual(['"2"', '"2"'])
    await closed(second.cosmos, world.clock)
  })

  it('are refused without an id (B269)', async () => {
    const world = await cosmosWorld('SDK in process')
    const { cosmos, container, store } = await opened(world, await aFolder())
    for (const unnamed of [{ id: '', LeaseToken: '0' }, { LeaseToken: '0' }])
      await expect(
        container.items.create(unnamed, { disableAutomaticIdGeneration: true }),
      ).rejects.toMatchObject({ code: 400 })
    expect((await store.list()).leases).toEqual([])
    await closed(cosmos, world.clock)
  })
})

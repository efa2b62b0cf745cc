import { describe, expect, it } from 'vitest'
import { acquire, RefusedLeaseError, type Lease, type LeaseStore } from '../../../lease-store/index.js'
import { aNewLease } from '../../support/a-lease.js'
import { cosmosWorld, type CosmosWorld } from '../../support/cosmos-world.js'

const self = { instanceName: 'a', incarnation: 'a-1' }
const randomKey = '6f1b0c52-52a9-4f0e-8f6e-0c8f3c8c5a11'

/** Returns a lease as older .NET hosts create it in a container that is partitioned by `/partitionKey`. */
async function withRandomKey(): Promise<{ world: CosmosWorld; store: LeaseStore; lease: Lease }> {
  const world = await cosmosWorld('SDK in process', { leasePartitioning: '/partitionKey' })
  const store = await world.leaseStore()
  const created = await store.create(aNewLease())
  if (created.kind !== 'created') throw new Error(created.kind)
  await world.leaseContainer.items.create({ ...created.lease.document, partitionKey: randomKey })
  await store.delete(created.lease)
  const lease = await store.read('0')
  if (lease === null) throw new Error('the lease is gone')
  return { world, store, lease }
}

describe('a lease under a random partition key (§8.2 WithPreExistingGuidPartitionKey, §1.4)', () => {
  it('is found, written and deleted under that key', async () => {
    const { store, lease } = await withRandomKey()
    const written = await store.replace(acquire(lease, self, 1))
    expect(written).toMatchObject({ kind: 'written', lease: { owner: 'a' } })
    expect(await store.replace(acquire(lease, self, 2))).toEqual({ kind: 'conflict' })
    expect((await store.list()).leases).toMatchObject([{ owner: 'a', document: { partitionKey: randomKey } }])
    if (written.kind !== 'written') throw new Error(written.kind)
    expect(await store.delete(written.lease)).toEqual({ kind: 'deleted' })
    expect(await store.read('0')).toBeNull()
  })

  it('is refused when it exists twice (F-L4, B142)', async () => {
    const { world, store, lease } = await withRandomKey()
    const { id } = lease.document
    await world.leaseContainer.items.create({ ...lease.document, partitionKey: id })
    await expect(store.list()).rejects.toThrow(RefusedLeaseError)
    await expect(store.list()).rejects.toThrow(/exists twice, under different partition keys/)
  })
})

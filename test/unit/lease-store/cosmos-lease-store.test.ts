import { describe, expect, it } from 'vitest'
import { RefusedLeaseError } from '../../../lease-store/index.js'
import { cosmosWorld } from '../../support/cosmos-world.js'
import { aNewLease } from '../../support/a-lease.js'

describe('a lease container partitioned by /partitionKey', () => {
  it('F-L4 is refused when old SDKs wrote random keys, under which one lease may exist twice', async () => {
    const world = await cosmosWorld('SDK in process', { leasePartitioning: '/partitionKey' })
    const store = await world.leaseStore()
    const created = await store.create(aNewLease())
    if (created.kind !== 'created') throw new RangeError('the container was empty')
    expect((await store.list()).leases).toHaveLength(1)
    await world.leaseContainer.items.create({ ...created.lease.document, partitionKey: 'random' })
    await expect(store.list()).rejects.toThrow(RefusedLeaseError)
    await expect(store.list()).rejects.toThrow(/it is there twice, under different partition keys/)
  })
})

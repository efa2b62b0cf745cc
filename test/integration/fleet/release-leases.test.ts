import { expect, it } from 'vitest'
import { acquire, type LeaseStore } from '../../../lease-store/index.js'
import { releaseLeasesOf } from '../../../src/fleet/release-leases.js'
import { cosmosWorld } from '../../support/cosmos-world.js'

const range = { min: '', max: 'FF' }
const fresh = {
  feedRange: range,
  continuationToken: '"1"',
  firstPosition: null,
  mode: 'Incremental Feed',
} as const

async function owned(store: LeaseStore, leaseToken: string, instanceName: string): Promise<void> {
  const created = await store.create({ ...fresh, leaseToken })
  if (created.kind !== 'created') throw new Error('it was there already')
  const lease = acquire(created.lease, { instanceName, incarnation: `${instanceName}-1` }, 0)
  await store.replace({ ...lease, unfinishedFrom: '"0"' })
}

it('the leases of a dead instance are released and keep their positions; others stay (I12, F-A31)', async () => {
  const store = await (await cosmosWorld('engine ports')).leaseStore()
  await owned(store, '0', 'dead')
  await owned(store, '1', 'dead-2')
  expect(await releaseLeasesOf('dead', store, 0)).toEqual(['0'])
  expect(await store.read('0')).toMatchObject({
    owner: null,
    continuationToken: '"1"',
    unfinishedFrom: '"0"',
  })
  expect(await store.read('1')).toMatchObject({ owner: 'dead-2' })
})

it('a lease that another instance has acquired meanwhile is not released (I12)', async () => {
  const store = await (await cosmosWorld('engine ports')).leaseStore()
  await owned(store, '0', 'dead')
  const slow: LeaseStore = Object.assign(Object.create(store) as LeaseStore, {
    list: async () => {
      const listing = await store.list()
      for (const lease of listing.leases) {
        await store.replace(acquire(lease, { instanceName: 'heir', incarnation: 'heir-1' }, 0))
      }
      return listing
    },
  })
  expect(await releaseLeasesOf('dead', slow, 0)).toEqual([])
  expect(await store.read('0')).toMatchObject({ owner: 'heir' })
})

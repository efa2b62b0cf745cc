import { describe, expect, it } from 'vitest'
import type { VersionChange } from '../../../../src/change-feed-processor/index.js'
import {
  identityOf,
  lsnOf,
  madeAtMs,
  partitionKeyOf,
} from '../../../../src/change-feed-processor/feed/change-identity.js'

const latest = { id: 'a', _etag: '"7"', _ts: 1, _lsn: 5, tenant: { name: 't' }, user: 3 }
const created: VersionChange = { current: latest, metadata: { operationType: 'create', lsn: 6, crts: 1 } }
const deleted: VersionChange = {
  current: {},
  metadata: { operationType: 'delete', lsn: 7, crts: 1, id: 'a', partitionKey: { user: 3 } },
}

describe('a change of either feed', () => {
  it('is identified by the id and the version of its document', () => {
    expect([latest, created, deleted].map(identityOf)).toEqual([
      { id: 'a', version: '"7"' },
      { id: 'a', version: '6' },
      { id: 'a', version: '7' },
    ])
    expect([latest, created, deleted].map(lsnOf)).toEqual([5, 6, 7])
    expect([{ ...latest, _ts: 9, metadata: {} }, created].map(madeAtMs)).toEqual([9_000, 1_000])
  })

  it('is identified by what remains of its document if the service gives no id', () => {
    const { id: _id, ...unnamed } = deleted.metadata
    expect(identityOf({ current: { id: 'b' }, metadata: unnamed }).id).toBe('b')
    expect(identityOf({ current: {}, metadata: unnamed }).id).toBe('')
  })

  it('has no partition key value below a value that is not an object', () => {
    expect(partitionKeyOf({ ...latest, tenant: null }, ['/tenant/name'])).toEqual([null])
    expect(partitionKeyOf({ ...latest, tenant: 'text' }, ['/tenant/length', '/none/name'])).toEqual([
      null,
      null,
    ])
  })

  it('has the same partition key whether its document exists or was deleted', () => {
    expect([latest, created, deleted].map((change) => partitionKeyOf(change, ['/user']))).toEqual([
      [3],
      [3],
      [3],
    ])
    expect(partitionKeyOf(latest, ['/tenant/name', '/user', '/none'])).toEqual(['t', 3, null])
    const previous = { id: 'a', user: 4 }
    const { partitionKey: _key, ...metadata } = deleted.metadata
    expect(partitionKeyOf({ current: {}, previous, metadata }, ['/user'])).toEqual([4])
  })
})

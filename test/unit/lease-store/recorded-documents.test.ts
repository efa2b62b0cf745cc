import { describe, expect, it } from 'vitest'
import { acquire, checkpoint } from '../../../lease-store/index.js'
import {
  decodeLease,
  encodeLease,
  leaseIdPrefix,
  leasePrefix,
  type DecodeOptions,
  type LeaseDocument,
} from '../../../lease-store/internal.js'
import { leaseOf } from '../../support/a-lease.js'

const prefix = leasePrefix({
  processorName: 'orders',
  accountHost: 'contoso.documents.azure.com',
  containerRid: 'TughAMEOdUI=',
})
const middle = '1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF'
const system = {
  _rid: 'TughAL-sYbECAAAAAAAAAA==',
  _self: 'dbs/TughAA==/colls/TughAL-sYbE=/docs/TughAL-sYbECAAAAAAAAAA==/',
  _attachments: 'attachments/',
  _etag: '"0500a1c2-0000-0700-0000-68bfe0a10000"',
  _ts: 1788941441,
}

/** In the field order in which each host stores them. */
const shared: Readonly<Record<string, { document: LeaseDocument; options?: DecodeOptions }>> = {
  '.NET version 0, fresh': {
    document: {
      id: `${prefix}..0`,
      version: 0,
      ...system,
      LeaseToken: '0',
      FeedRange: { Range: { min: '', max: middle } },
      Owner: null,
      ContinuationToken: null,
      properties: {},
      timestamp: null,
      Mode: 'Incremental Feed',
    },
  },
  '.NET version 1, after a merge': {
    document: {
      id: `${prefix}..${middle}-FF`,
      version: 1,
      ...system,
      LeaseToken: `${middle}-FF`,
      FeedRange: { Range: { min: middle, max: 'FF' } },
      Owner: 'node-7',
      ContinuationToken: '"5120"',
      properties: { note: 'kept' },
      timestamp: '2026-09-09T08:10:58.5Z',
      Mode: 'Incremental Feed',
    },
  },
  'migrated from V2, all versions, partitioned by its id': {
    document: {
      id: `${prefix}..3`,
      partitionKey: `${prefix}..3`,
      version: 0,
      ...system,
      LeaseToken: '3',
      PartitionId: '3',
      FeedRange: { Range: { min: middle, max: 'FF' } },
      Owner: null,
      ContinuationToken: '"88"',
      properties: { note: 'kept across splits' },
      timestamp: '2026-09-09T08:11:00Z',
      Mode: 'Full-Fidelity Feed',
    },
  },
  'of an older .NET, under a random key, with the range id alone': {
    document: {
      id: `${prefix}..1`,
      partitionKey: '6f1b0c52-52a9-4f0e-8f6e-0c8f3c8c5a11',
      version: 0,
      ...system,
      LeaseToken: '1',
      Owner: 'host-1',
      ContinuationToken: '"4711"',
      properties: {},
      timestamp: '2026-09-09T08:10:41.1234567Z',
    },
    options: { feedRange: { min: middle, max: 'FF' } },
  },
  'with bounds said to be as they are by default': {
    document: {
      id: `${prefix}..0`,
      version: 0,
      ...system,
      LeaseToken: '0',
      FeedRange: { Range: { min: '', max: 'FF', isMinInclusive: true, isMaxInclusive: false } },
      Owner: null,
      ContinuationToken: null,
      properties: {},
      timestamp: null,
      Mode: 'Incremental Feed',
    },
  },
}

describe('documents that are shared with .NET hosts (§8.2 DocumentServiceLeaseTests, §9b)', () => {
  it.each(Object.entries(shared))(
    '%s: change only in the fields of ownership and progress (B107, B108, B109, B110, B111)',
    (_name, fixture) => {
      const { document, options } = fixture
      const lease = leaseOf(decodeLease(document, options))
      const owner = { instanceName: 'node-8', incarnation: 'node-8-1' }
      const written = encodeLease(checkpoint(acquire(lease, owner, 1_000), '"9000"', 2_000))
      const { min, max } = lease.feedRange
      expect(written).toEqual({
        FeedRange: { Range: { min, max } },
        Mode: 'Incremental Feed',
        ...document,
        Owner: 'node-8',
        ContinuationToken: '"9000"',
        timestamp: '1970-01-01T00:00:02.000Z',
        properties: {
          ...(document['properties'] as object),
          'stepward.incarnation': JSON.stringify({ owner: 'node-8', incarnation: 'node-8-1' }),
        },
      })
      // .NET reads every property as a string and fails on anything else.
      for (const value of Object.values(written['properties'] as object)) expect(value).toBeTypeOf('string')
    },
  )
})

describe('documents of Java (§1.6)', () => {
  const epk: LeaseDocument = {
    id: `${prefix}..-${middle}`,
    ...system,
    LeaseToken: `-${middle}`,
    ContinuationToken: 'eyJWIjoxLCJSaWQiOiJUdWdoQU1FT2RVST0iLCJNb2RlIjoiSU5DUkVNRU5UQUwifQ',
    timestamp: '2026-09-09T08:10:41.123456Z',
    Owner: 'java-1',
    version: 1,
    feedRange: { Range: { min: '', max: middle, isMinInclusive: true, isMaxInclusive: false } },
  }

  it.each([
    { name: 'read', document: epk },
    { name: 'fresh', document: { ...epk, ContinuationToken: null, Owner: null } },
  ])('are refused when they are leases by effective partition key ($name)', ({ document }) => {
    expect(decodeLease(document)).toMatchObject({ kind: 'refused', rule: 'javaLease' })
  })

  it('have another id prefix when they are leases by range id: it has names, not resource ids', () => {
    const id = 'orderscontoso.documents.azure.com_shop_orders..0'
    expect(id.startsWith(leaseIdPrefix(prefix))).toBe(false)
  })
})

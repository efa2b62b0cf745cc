import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeLease,
  encodeLease,
  encodeNewLease,
  type LeaseDocument,
  type LeaseRefusal,
} from '../../../../lease-store/internal.js'
import { aNewLease, leaseOf } from '../../../support/a-lease.js'

const id = 'orderscontoso.documents.azure.com_TughAA==_TughAMEOdUI=..0'
const half = { min: '', max: '1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF' }

/** As a .NET host stores it, system fields included. */
const dotNet: LeaseDocument = {
  id,
  version: 0,
  _etag: '"0500a1c2-0000-0700-0000-68bfe0a10000"',
  LeaseToken: '0',
  FeedRange: { Range: half },
  Owner: 'node-7',
  ContinuationToken: '"4711"',
  properties: { note: 'kept across splits' },
  timestamp: '2026-09-09T08:10:41.1234567Z',
  Mode: 'Incremental Feed',
  _rid: 'TughAL-sYbECAAAAAAAAAA==',
  _self: 'dbs/TughAA==/colls/TughAL-sYbE=/docs/TughAL-sYbECAAAAAAAAAA==/',
  _attachments: 'attachments/',
  _ts: 1788941441,
}

describe('a new lease', () => {
  it('is written field by field as .NET writes it, nulls included (B104)', () => {
    const document = encodeNewLease(aNewLease({ feedRange: half, firstPosition: null }), id, '/id')
    expect(JSON.stringify(document)).toBe(
      JSON.stringify({
        id,
        version: 0,
        _etag: null,
        LeaseToken: '0',
        FeedRange: { Range: half },
        Owner: null,
        ContinuationToken: null,
        properties: {},
        timestamp: null,
        _ts: 0,
        Mode: 'Incremental Feed',
      }),
    )
  })

  it('is version 1 when it is named by its bounds', () => {
    const leaseToken = `${half.min}-${half.max}`
    expect(encodeNewLease(aNewLease({ feedRange: half, leaseToken }), id, '/id')).toMatchObject({
      version: 1,
      LeaseToken: leaseToken,
    })
  })

  it('keeps the properties of the lease that it replaces', () => {
    const lease = aNewLease({ properties: { note: 'kept', 'stepward.firstPosition': 'old' } })
    expect(encodeNewLease(lease, id, '/id')['properties']).toEqual({
      note: 'kept',
      'stepward.firstPosition': 'beginning',
    })
  })

  it('carries its id as its partition key if the container requires one (B105)', () => {
    expect(encodeNewLease(aNewLease(), id, '/partitionKey')).toMatchObject({ partitionKey: id })
  })

  it.each([
    { firstPosition: { kind: 'beginning' }, stored: 'beginning' },
    {
      firstPosition: { kind: 'time', atMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678) },
      stored: '2026-01-02T03:04:05.678Z',
    },
  ] as const)('stores its first position $stored among its properties', ({ firstPosition, stored }) => {
    const document = encodeNewLease(aNewLease({ firstPosition }), id, '/id')
    expect(document['properties']).toEqual({ 'stepward.firstPosition': stored })
    expect(leaseOf(decodeLease({ ...document, _etag: '"1"', _ts: 1 })).firstPosition).toEqual(firstPosition)
  })
})

describe('a lease that .NET wrote', () => {
  it('is decoded with all its fields (B106)', () => {
    expect(decodeLease(dotNet)).toMatchObject({ kind: 'lease' })
    const { document, ...lease } = leaseOf(decodeLease(dotNet))
    expect(document).toBe(dotNet)
    expect(lease).toEqual({
      leaseToken: '0',
      feedRange: half,
      owner: 'node-7',
      incarnation: null,
      process: null,
      unfinishedFrom: null,
      wakeAddress: null,
      version: null,
      serves: null,
      report: null,
      handover: null,
      continuationToken: '"4711"',
      firstPosition: null,
      mode: 'Incremental Feed',
      timestampMs: Date.UTC(2026, 8, 9, 8, 10, 41, 123),
      storedAtMs: 1788941441000,
      etag: '"0500a1c2-0000-0700-0000-68bfe0a10000"',
    })
  })

  it('keeps every field and property of others when it is written back', () => {
    const lease = leaseOf(decodeLease({ ...dotNet, partitionKey: 'k', PartitionId: '0', later: { a: [1] } }))
    expect(encodeLease({ ...lease, incarnation: 'life-1' })).toEqual({
      ...dotNet,
      partitionKey: 'k',
      PartitionId: '0',
      later: { a: [1] },
      timestamp: '2026-09-09T08:10:41.123Z',
      properties: {
        note: 'kept across splits',
        'stepward.incarnation': JSON.stringify({ owner: 'node-7', incarnation: 'life-1' }),
      },
    })
  })

  it('round-trips every field that a transition may change', () => {
    const text = fc.option(fc.string({ minLength: 1 }).filter((value) => value.trim() !== ''))
    fc.assert(
      fc.property(text, text, fc.nat(), text, (owner, incarnation, timestampMs, foreign) => {
        const lease = {
          ...leaseOf(decodeLease({ ...dotNet, properties: foreign === null ? {} : { foreign } })),
          owner,
          incarnation: owner === null ? null : incarnation,
          handover: incarnation === null ? null : { instanceName: 'b', incarnation },
          timestampMs,
          firstPosition: { kind: 'time', atMs: timestampMs } as const,
        }
        const { document, ...read } = leaseOf(decodeLease(encodeLease(lease)))
        const { document: _before, ...written } = lease
        expect(read).toEqual(written)
        expect(document['properties']).toEqual(expect.objectContaining(foreign === null ? {} : { foreign }))
      }),
    )
  })

  it('is stored without our properties when they are empty', () => {
    const lease = { ...leaseOf(decodeLease({ ...dotNet, properties: {} })), incarnation: 'life-1' }
    const owned = leaseOf(decodeLease(encodeLease(lease)))
    expect(owned.incarnation).toBe('life-1')
    const forgotten = encodeLease({ ...owned, incarnation: null, timestampMs: null })
    expect(forgotten['properties']).toEqual({})
    expect(forgotten['timestamp']).toBeNull()
    expect(encodeLease({ ...owned, owner: null })['properties']).toEqual({})
  })

  it('stores our properties under the same names in every release', () => {
    const lease = {
      ...leaseOf(decodeLease({ ...dotNet, properties: 'a text' })),
      incarnation: 'a-1',
      handover: { instanceName: 'b', incarnation: 'b-1' },
      firstPosition: { kind: 'beginning' } as const,
    }
    expect(encodeLease(lease)['properties']).toEqual({
      'stepward.firstPosition': 'beginning',
      'stepward.incarnation': '{"owner":"node-7","incarnation":"a-1"}',
      'stepward.handover': '{"owner":"node-7","instanceName":"b","incarnation":"b-1"}',
    })
  })

  it('has no incarnation or handover when .NET changed its owner and kept its properties (§9b.5)', () => {
    const ours = {
      ...leaseOf(decodeLease(dotNet)),
      incarnation: 'life-1',
      handover: { instanceName: 'b', incarnation: 'b-1' },
    }
    const stolen = leaseOf(decodeLease({ ...encodeLease(ours), Owner: 'dotnet-1' }))
    expect(stolen).toMatchObject({ owner: 'dotnet-1', incarnation: null, handover: null })
    const releasedByThem = leaseOf(decodeLease({ ...encodeLease(ours), Owner: null }))
    expect(releasedByThem).toMatchObject({ owner: null, incarnation: null, handover: null })
  })

  it.each([
    'life-1',
    '{',
    '7',
    'null',
    '{"owner":"node-7"}',
    '{"owner":"node-7","instanceName":"b","incarnation":""}',
    '{"owner":null,"instanceName":"b","incarnation":"b-1"}',
    7,
    ['{"owner":"node-7","instanceName":"b","incarnation":"b-1"}'],
  ])('has no incarnation and no handover when their properties are %j', (found) => {
    const properties = { 'stepward.incarnation': found, 'stepward.handover': found }
    expect(leaseOf(decodeLease({ ...dotNet, properties }))).toMatchObject({
      incarnation: null,
      handover: null,
    })
  })

  it('has no incarnation while free, and a handover only if that names instance and incarnation', () => {
    const free = { ...dotNet, Owner: null }
    const ofNoOwner = { 'stepward.incarnation': '{"owner":null,"incarnation":"b-1"}' }
    expect(leaseOf(decodeLease({ ...free, properties: ofNoOwner })).incarnation).toBeNull()
    const askedBy = (handover: string) =>
      leaseOf(decodeLease({ ...free, properties: { 'stepward.handover': handover } })).handover
    expect(askedBy('{"owner":null,"instanceName":"b","incarnation":"b-1"}')).toEqual({
      instanceName: 'b',
      incarnation: 'b-1',
    })
    expect(askedBy('{"owner":null,"instanceName":"b"}')).toBeNull()
    expect(askedBy('{"owner":null,"incarnation":"b-1"}')).toBeNull()
  })

  it('has no position when its continuation token is empty', () => {
    expect(leaseOf(decodeLease({ ...dotNet, ContinuationToken: '' })).continuationToken).toBeNull()
  })

  it('is accepted even if it carries Java’s range beside its own', () => {
    expect(decodeLease({ ...dotNet, feedRange: dotNet['FeedRange'] })).toMatchObject({ kind: 'lease' })
  })

  it('may lack the fields that .NET leaves out when they are null', () => {
    const { Mode: _mode, version: _version, properties: _properties, ...old } = dotNet
    expect(leaseOf(decodeLease(old))).toMatchObject({ mode: 'Incremental Feed' })
    expect(encodeLease(leaseOf(decodeLease(old)))).toMatchObject({ Mode: 'Incremental Feed', properties: {} })
  })

  it.each([null, '', '  '])('is free when its owner is %j', (Owner) => {
    expect(leaseOf(decodeLease({ ...dotNet, Owner })).owner).toBeNull()
  })

  it.each([
    ['2026-09-09T08:11:00Z', Date.UTC(2026, 8, 9, 8, 11)],
    ['2026-09-09T08:11:00Z[UTC]', Date.UTC(2026, 8, 9, 8, 11)],
    ['[UTC]2026-09-09T08:11:00Z', null],
    ['yesterday', null],
    [null, null],
  ])('takes its timestamp from %j, or has none if that is not a time', (timestamp, expected) => {
    expect(leaseOf(decodeLease({ ...dotNet, timestamp })).timestampMs).toBe(expected)
  })

  it('takes its token from PartitionId, as .NET does after a migration from V2', () => {
    expect(leaseOf(decodeLease({ ...dotNet, LeaseToken: '1', PartitionId: '3' })).leaseToken).toBe('3')
  })

  it('has a mode that is read case-insensitively', () => {
    expect(leaseOf(decodeLease({ ...dotNet, Mode: 'full-fidelity feed' })).mode).toBe('Full-Fidelity Feed')
  })

  it.each(['soon', 7, null])('has no first position when the property for it is %j', (stored) => {
    const properties = { 'stepward.firstPosition': stored }
    expect(leaseOf(decodeLease({ ...dotNet, properties })).firstPosition).toBeNull()
  })

  it('takes a missing feed range from the options of the decoder', () => {
    const { FeedRange: _range, ...old } = dotNet
    const lease = leaseOf(decodeLease(old, { feedRange: half }))
    expect(lease.feedRange).toEqual(half)
    expect(encodeLease(lease)).toMatchObject({ FeedRange: { Range: half } })
  })
})

describe('a document that we must not write', () => {
  const { FeedRange: feedRange, ...withoutRange } = dotNet
  const refused: readonly (readonly [LeaseRefusal, LeaseDocument])[] = [
    ['missingFeedRange', withoutRange],
    ['malformed', { ...withoutRange, version: 1 }],
    ['unknownVersion', { ...dotNet, version: 2 }],
    ['unknownMode', { ...dotNet, Mode: 'Sideways Feed' }],
    ['unknownMode', { ...dotNet, Mode: 1 }],
    ['javaLease', { ...withoutRange, version: 1, feedRange, ContinuationToken: null }],
    ['javaLease', { ...dotNet, ContinuationToken: 'eyJWIjoxfQ' }],
    ['javaLease', { ...dotNet, ContinuationToken: 'eyJWIjoxfQ"' }],
    ['malformed', { ...dotNet, ContinuationToken: 4711 }],
    ['malformed', { ...dotNet, id: 7 }],
    ['malformed', { ...dotNet, LeaseToken: '' }],
    ['malformed', { ...dotNet, LeaseToken: null }],
    ['malformed', { ...dotNet, _etag: null }],
    ['malformed', { ...dotNet, _ts: null }],
    ['malformed', { ...dotNet, FeedRange: { PKRangeId: '0' } }],
    ['malformed', { ...dotNet, FeedRange: { Range: { min: '', max: 7 } } }],
    ['malformed', { ...dotNet, FeedRange: { Range: { min: '10', max: 20 } } }],
    ['malformed', { ...dotNet, FeedRange: { Range: { min: 10, max: '20' } } }],
    ['malformed', { ...dotNet, FeedRange: 'all' }],
    ['malformed', { ...dotNet, FeedRange: { Range: { min: 'aa', max: 'bb' } } }],
    ['malformed', { ...dotNet, FeedRange: { Range: { min: 'FF', max: '' } } }],
  ]
  it.each(refused)('is refused as %s, with a reason that contains its id', (rule, document) => {
    const decoded = decodeLease(document)
    expect(decoded).toMatchObject({ kind: 'refused', rule })
    expect(decoded.kind === 'refused' && decoded.reason).toContain(JSON.stringify(document['id']))
  })
})

describe('the process of a lease’s owner', () => {
  const wakeAddress = 'http://10.0.0.4:8181#key'
  const dead = {
    owner: 'node-7',
    process: 'here.11.600',
    wakeAddress,
    version: '1.2.3',
    serves: ['bank', 'shop'],
    report: { slots: 4, busy: 1 },
    unfinishedFrom: '"4000"',
  }
  const mine = encodeLease({ ...leaseOf(decodeLease(dotNet)), ...dead })

  it('is read back, with the position before its unfinished work', () => {
    expect(leaseOf(decodeLease(mine))).toMatchObject(dead)
  })

  it.each([
    ['has taken the lease', { Owner: 'node-8' }],
    ['has the same name and has renewed the lease', { timestamp: '2026-09-09T08:10:42.000Z' }],
  ])('is void if a host that keeps our properties unread %s', (_name, change) => {
    const now = leaseOf(decodeLease({ ...mine, ...change }))
    expect(now).toMatchObject({
      process: null,
      wakeAddress: null,
      version: null,
      serves: null,
      report: null,
      unfinishedFrom: null,
    })
  })

  it('is omitted if nothing is known', () => {
    const properties = encodeLease({
      ...leaseOf(decodeLease(mine)),
      process: null,
      wakeAddress: null,
      version: null,
      serves: null,
      report: null,
      unfinishedFrom: null,
    })
    expect(properties['properties']).not.toHaveProperty(['stepward.process'])
  })
})

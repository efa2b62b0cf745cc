import { describe, expect, it } from 'vitest'
import {
  decodeChange,
  decodeVersionChange,
} from '../../../../src/change-feed-processor/feed/decode-change.js'

const change = { id: 'a', _etag: '"1"', _ts: 1, _lsn: 2, total: 3 }
const metadata = { lsn: 2, crts: 1, operationType: 'replace' }

describe('a document of the feed', () => {
  it('is decoded as a change with all its fields', () => {
    expect(decodeChange(change, 0)).toEqual(change)
  })

  it.each([
    [null, /change 7 of the page cannot be understood: it is null/],
    [['a'], /not an object/],
    [{ ...change, id: 5 }, /its id is 5/],
    [{ ...change, _etag: undefined }, /\(id "a"\).*no _etag/],
    [{ ...change, _ts: '1' }, /no _ts/],
    [{ ...change, _lsn: undefined }, /no _lsn/],
  ])('is refused when it is not valid: %j', (value, refusal) => {
    expect(() => decodeChange(value, 7)).toThrow(Error)
    expect(() => decodeChange(value, 7)).toThrow(refusal)
  })
})

describe('a document of the feed of all versions', () => {
  it('is decoded as a change, without a current version after any form of delete', () => {
    const replaced = { current: { id: 'a' }, previous: { id: 'a' }, metadata }
    expect(decodeVersionChange(replaced, 0)).toEqual(replaced)
    const deletion = { ...metadata, operationType: 'delete', id: 'a' }
    for (const current of [{}, null, undefined])
      expect(decodeVersionChange({ current, metadata: deletion }, 0)).toEqual({
        current: {},
        metadata: deletion,
      })
  })

  it.each([
    [{ current: { id: 'a' } }, /no metadata/],
    [
      { current: { id: 'a' }, metadata: { ...metadata, operationType: 'merge' } },
      /"a".*operationType is "merge"/,
    ],
    [{ current: { id: 'a' }, metadata: { ...metadata, lsn: undefined } }, /no lsn or no crts/],
    [{ current: { id: 'a' }, metadata: { lsn: 2, operationType: 'create' } }, /"a".*no lsn or no crts/],
    [{ metadata }, /no current version/],
    [{ metadata: { ...metadata, id: 'm' } }, /\(id "m"\).*no current version/],
    [{ current: {}, metadata: { ...metadata, id: 'm', lsn: '1' } }, /\(id "m"\).*no lsn/],
  ])('is refused when it is not valid: %j (B47)', (value, refusal) => {
    expect(() => decodeVersionChange(value, 0)).toThrow(refusal)
  })
})

describe('a change of all versions from the wire', () => {
  it.each([
    {
      name: 'B48, the deletion of what expired',
      wire: `{"current":{},"metadata":{"lsn":374,"crts":1722511591,"operationType":"delete","timeToLiveExpired":true,
        "previousImageLSN":371,"id":"1","partitionKey":{"pk":"1"}}}`,
      change: {
        current: {},
        metadata: {
          operationType: 'delete',
          timeToLiveExpired: true,
          previousImageLSN: 371,
          id: '1',
          partitionKey: { pk: '1' },
        },
      },
    },
    {
      name: 'B49, the creation of what will expire',
      wire: `{"current":{"id":"1","pk":"1","description":"Testing TTL on CFP.","ttl":5,"_rid":"HpxDAL","_ts":1722511453},
        "metadata":{"lsn":373,"crts":1722511453,"operationType":"create"}}`,
      change: {
        current: { ttl: 5, description: 'Testing TTL on CFP.' },
        metadata: { lsn: 373, crts: 1722511453 },
      },
    },
    {
      name: 'B50, a document with nested fields',
      wire: `{"current":{"id":"2","lines":[{"sku":"a","tags":["x",null]}],"Id":"another"},
        "metadata":{"lsn":374,"crts":1722511454,"operationType":"replace","previousImageLSN":373}}`,
      change: { current: { id: '2', lines: [{ sku: 'a', tags: ['x', null] }], Id: 'another' } },
    },
    {
      name: 'B51, a deletion under three keys',
      wire: `{"metadata":{"lsn":375,"crts":1722511455,"operationType":"delete","id":"3",
        "partitionKey":{"tenant":"t","user":7,"session":null}}}`,
      change: { current: {}, metadata: { id: '3', partitionKey: { tenant: 't', user: 7, session: null } } },
    },
    {
      name: 'B52, a replacement',
      wire: `{"current":{"id":"4","n":2},"previous":{"id":"4","n":1},
        "metadata":{"lsn":376,"crts":1722511456,"operationType":"replace","previousImageLSN":375}}`,
      change: {
        current: { n: 2 },
        previous: { n: 1 },
        metadata: { operationType: 'replace', previousImageLSN: 375 },
      },
    },
    {
      name: 'B52, a deletion',
      wire: `{"current":null,"previous":{"id":"4","n":2},
        "metadata":{"lsn":377,"crts":1722511457,"operationType":"delete","previousImageLSN":376,"id":"4"}}`,
      change: { current: {}, previous: { n: 2 }, metadata: { operationType: 'delete', id: '4' } },
    },
    {
      name: 'B53, a creation',
      wire: `{"current":{"id":"5"},"metadata":{"lsn":378,"crts":1722511458,"operationType":"create"}}`,
      change: { metadata: { lsn: 378, crts: 1722511458, operationType: 'create' } },
    },
  ])('is decoded: $name', ({ wire, change: expected }) => {
    const decoded = decodeVersionChange(JSON.parse(wire), 0)
    expect(decoded).toMatchObject(expected)
    expect('previous' in decoded).toBe('previous' in expected)
  })
})

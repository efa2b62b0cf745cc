import { describe, expect, it } from 'vitest'
import { wellKnownKey } from '../../../../src/emulator/doors/account-key.js'
import * as account from '../../../../src/emulator/explorer/page/account/account.js'
import {
  latestOf,
  positionsOf,
  versionOf,
} from '../../../../src/emulator/explorer/page/account/change-feed.js'
import {
  keyValuesOf,
  namesIn,
  partitionKeyHeader,
} from '../../../../src/emulator/explorer/page/account/partition-keys.js'
import { indexFactsIn, metricsIn } from '../../../../src/emulator/explorer/page/account/query-facts.js'
import { authorizationOf } from '../../../../src/emulator/explorer/page/account/signature.js'
import { faultText } from '../../../../src/emulator/explorer/page/views/fault-choices.js'
import { queryOf } from '../../../../src/emulator/explorer/page/views/items-view.js'
import { linkTo, placeIn } from '../../../../src/emulator/explorer/page/views/place-link.js'
import { parametersIn } from '../../../../src/emulator/explorer/page/views/query-view.js'
import { template } from '../../../../src/emulator/explorer/page/views/item-editor.js'
import { columnsOf } from '../../../../src/emulator/explorer/page/views/rows-table.js'
import { MasterKey } from '../../../../src/emulator/rest/authorization/master-key.js'

describe('the page of the data explorer', () => {
  it.each([
    ['POST', ['dbs', 'shop', 'colls', 'orders', 'docs'], 'docs', 'dbs/shop/colls/orders'],
    ['GET', ['dbs', 'a b', 'colls', 'ö'], 'colls', 'dbs/a b/colls/ö'],
    ['DELETE', ['_stepward', 'faults'], '_stepward', '_stepward/faults'],
  ])('signs %s of %j as every client does', async (method, segments, kind, link) => {
    const date = 'Sun, 22 Nov 2026 21:07:47 GMT'
    const expected = new MasterKey(wellKnownKey).signatureOf({ method, kind, link, date }).toString('base64')
    const signed = decodeURIComponent(await authorizationOf({ method, segments, date }, account.wellKnownKey))
    expect(signed).toBe(`type=master&ver=1.0&sig=${expected}`)
  })

  it('reads partition keys, and writes them with ASCII characters only', () => {
    expect(namesIn('/a/"b c"/d')).toEqual(['a', 'b c', 'd'])
    const item = { tenant: 'Łódź 🙂', user: { id: null } }
    const values = keyValuesOf(item, ['/tenant', '/user/id', '/toString'])
    expect(values).toEqual(['Łódź 🙂', null, undefined])
    const header = partitionKeyHeader(values)
    expect(header).toMatch(/^[\x20-\x7e]+$/u)
    expect(JSON.parse(header)).toEqual(['Łódź 🙂', null, {}])
  })

  it('continues the feed of a new range at the earliest position of the ranges that it replaced', () => {
    const known = new Map([
      ['0', '"12"'],
      ['1', '"9"'],
      ['5', '"3"'],
    ])
    const ranges = [
      { id: '5', parents: [] },
      { id: '6', parents: ['0', '1'] },
      { id: '7', parents: ['4'] },
    ]
    expect([...positionsOf(ranges, known)]).toEqual([
      ['5', '"3"'],
      ['6', '"9"'],
    ])
  })

  it('shows the last version of a deleted item, and its id if there is no version', () => {
    const metadata = { operationType: 'delete', id: '1', crts: 7 }
    const change = { rangeId: '0', operation: 'delete', atSeconds: 7 }
    expect(versionOf('0', { current: {}, previous: { id: '1', a: 1 }, metadata })).toEqual({
      ...change,
      item: { id: '1', a: 1 },
    })
    expect(versionOf('0', { current: {}, metadata })).toEqual({ ...change, item: { id: '1' } })
    const item = { id: '2', _ts: 8, metadata }
    expect(latestOf('0', item)).toEqual({ rangeId: '0', operation: '', atSeconds: 8, item })
  })

  it('begins a new item with its partition key, whatever the names in the path are', () => {
    const definition = { partitionKey: { paths: ['/a/b', '/__proto__/polluted'] } }
    const item = template({ database: 'shop', container: 'orders', definition })
    expect(JSON.stringify(item)).toBe('{"id":"","a":{"b":""},"__proto__":{"polluted":""}}')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('shows syntax errors as sentences', () => {
    const error = { message: 'Syntax error', code: 'SC1001', location: { start: 29, end: 30 } }
    expect(account.syntaxErrorsIn(`Message: {"errors":[${JSON.stringify(error)}]}\r\nActivityId: 1`)).toBe(
      'Syntax error (SC1001, at character 30)',
    )
    expect(account.syntaxErrorsIn('The container is not there.')).toBeNull()
  })

  it('reads query metrics', () => {
    expect(metricsIn('retrievedDocumentCount=3;indexHitRatio=1.00;')).toEqual([
      ['retrievedDocumentCount', '3'],
      ['indexHitRatio', '1.00'],
    ])
  })

  it('reads index advice of old and new accounts, in JSON, percent-encoded or in base64', () => {
    const old = {
      UtilizedSingleIndexes: [{ IndexDocumentExpression: '/a/?', IndexImpactScore: 'High' }],
      PotentialCompositeIndexes: [
        { IndexDocumentExpressions: ['/a ASC', '/b DESC'], IndexImpactScore: 'Low' },
      ],
    }
    const recent = {
      Utilized: { SingleIndexes: [{ IndexSpec: '/a/?' }], CompositeIndexes: [] },
      Potential: { CompositeIndexes: [{ IndexSpecs: ['/a ASC', '/b DESC'], IndexImpactScore: 'Low' }] },
    }
    const advised = { kind: 'advised', paths: '/a ASC, /b DESC', impact: 'Low' }
    const inBase64 = Buffer.from(JSON.stringify(old)).toString('base64')
    expect(indexFactsIn(inBase64)).toEqual([{ kind: 'used', paths: '/a/?', impact: 'High' }, advised])
    const facts = [{ kind: 'used', paths: '/a/?', impact: '' }, advised]
    expect(indexFactsIn(JSON.stringify(recent))).toEqual(facts)
    expect(indexFactsIn(encodeURIComponent(JSON.stringify(recent)))).toEqual(facts)
    expect(indexFactsIn('?')).toBeNull()
  })

  it('makes a query from a filter, with or without the word WHERE', () => {
    expect(queryOf(' ')).toBe('SELECT * FROM c')
    expect(queryOf('c.a = 1')).toBe('SELECT * FROM c WHERE c.a = 1')
    expect(queryOf('where c.a = 1')).toBe('SELECT * FROM c WHERE  c.a = 1')
    expect(queryOf('ORDER BY c.a')).toBe('SELECT * FROM c ORDER BY c.a')
  })

  it('reads parameters as names and values, and says how they must look', () => {
    expect(parametersIn('{ "@a": [1] }')).toEqual([{ name: '@a', value: [1] }])
    expect(parametersIn('')).toEqual([])
    expect(() => parametersIn('[1]')).toThrow('Parameters must be a JSON object')
  })

  it('has a column for each property, or only one column if a row is not an object', () => {
    expect(columnsOf([{ a: 1 }, { b: 2, a: 3 }])).toEqual(['a', 'b'])
    expect(columnsOf([{ a: 1 }, [1]])).toBeNull()
    expect(columnsOf([null])).toBeNull()
  })

  it('links to a view of any container', () => {
    const link = linkTo('a/b', 'c d#', 'query')
    expect(placeIn(link)).toEqual({ database: 'a/b', container: 'c d#', view: 'query' })
    expect(placeIn('#/a/b')).toEqual({ database: 'a', container: 'b', view: 'items' })
    expect(placeIn('#/%/b')).toBeNull()
    expect(placeIn('')).toBeNull()
  })

  it('describes faults in words', () => {
    const match = { operation: ['replace', 'upsert'], container: 'orders' }
    expect(faultText({ match, reset: true, afterApply: true, probability: 0.1 })).toBe(
      '10 % of requests with operation replace or upsert, container orders: the connection is cut, ' +
        'after the request was carried out',
    )
    expect(faultText({ delay: 1_000, status: 503, times: 2 })).toBe(
      'All requests: a delay of 1000 ms, then status 503, at most 2 times',
    )
  })
})

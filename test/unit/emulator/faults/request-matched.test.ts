import { describe, expect, it } from 'vitest'
import { requestMatched } from '../../../../src/emulator/faults/request-matched.js'
import type { RestRequest } from '../../../../src/emulator/messages/rest-message.js'

const docs = '/dbs/d/colls/c/docs'

function of(method: string, path: string, more: Partial<RestRequest> = {}) {
  return requestMatched({ method, path, headers: {}, body: '', origin: 'http://127.0.0.1', ...more })
}

describe('the conditions of faults see a request', () => {
  it.each([
    ['GET', '//', {}, 'account'],
    ['POST', '/dbs', {}, 'database'],
    ['DELETE', '/dbs/d', {}, 'database'],
    ['GET', '/dbs/d/colls', {}, 'container'],
    ['GET', '/dbs/d/colls/c/pkranges', {}, 'pkranges'],
    ['POST', '/offers', {}, 'offer'],
    ['GET', `${docs}/i`, {}, 'read'],
    ['PUT', `${docs}/i`, {}, 'replace'],
    ['DELETE', `${docs}/i`, {}, 'delete'],
    ['PATCH', `${docs}/i`, {}, 'patch'],
    ['POST', docs, {}, 'create'],
    ['POST', docs, { 'x-ms-documentdb-is-upsert': 'True' }, 'upsert'],
    ['GET', docs, {}, 'readFeed'],
    ['GET', docs, { 'a-im': 'Incremental Feed' }, 'changeFeed'],
    ['POST', docs, { 'x-ms-documentdb-isquery': 'true' }, 'query'],
    ['POST', docs, { 'x-ms-cosmos-is-query-plan-request': 'True' }, 'queryPlan'],
    ['POST', docs, { 'x-ms-cosmos-is-batch-request': 'true' }, 'bulk'],
    ['POST', docs, { 'x-ms-cosmos-is-batch-request': 'true', 'x-ms-cosmos-batch-atomic': 'true' }, 'batch'],
    ['PUT', docs, {}, 'other'],
    ['POST', '/dbs/d/colls/c/sprocs/p', {}, 'other'],
  ])('%s %s with %o as %s', (method, path, headers, operation) => {
    expect(of(method, path, { headers }).operation).toBe(operation)
  })

  it('with its container, its documents and its key', () => {
    const headers = { 'x-ms-documentdb-partitionkey': '["caf\\u00e9",5]' }
    expect(of('GET', `${docs}/caf%C3%A9?x=1`, { headers })).toMatchObject({
      database: 'd',
      container: 'c',
      ids: ['café'],
      partitionKey: ['café', 5],
    })
    const operations = [{ operationType: 'Delete', id: 'a' }, { resourceBody: { id: 'b' } }]
    expect(of('POST', docs, { body: JSON.stringify(operations) }).ids).toEqual(['a', 'b'])
    expect(of('POST', docs, { body: '{"id":"c"}' }).ids).toEqual(['c'])
  })

  it('without properties that cannot be parsed', () => {
    const headers = { 'x-ms-documentdb-partitionkey': 'no JSON' }
    const seen = of('POST', docs, { headers, body: '{' })
    expect(seen.ids).toEqual([])
    expect(seen).not.toHaveProperty('partitionKey')
    expect(of('GET', `${docs}/%zz`).ids).toEqual(['%zz'])
  })
})

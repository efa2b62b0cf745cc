import { describe, expect, it } from 'vitest'
import {
  initializationLock,
  initializationMarker,
  javaLeasePrefix,
  leaseDocumentId,
  leasePrefix,
} from '../../../../lease-store/internal.js'

const prefix = leasePrefix({
  processorName: 'orders',
  accountHost: 'contoso.documents.azure.com',
  containerRid: 'TughAMEOdUI=',
})

describe('names of the documents of a deployment unit', () => {
  it('are the names that a .NET host computes', () => {
    expect(prefix).toBe('orderscontoso.documents.azure.com_TughAA==_TughAMEOdUI=')
    expect(leaseDocumentId(prefix, '0')).toBe(`${prefix}..0`)
  })

  it('contain, for Java, the names of the database and the container', () => {
    const names = { processorName: 'orders', accountHost: 'h', databaseName: 'shop', containerName: 'items' }
    expect(javaLeasePrefix(names)).toBe('ordersh_shop_items')
  })

  it('take the database id from the first four bytes of the container id, with - for /', () => {
    const withSlash = Buffer.from([0x03, 0xff, 0xff, 0xff, 1, 2, 3, 4])
      .toString('base64')
      .replaceAll('/', '-')
    expect(leasePrefix({ processorName: '', accountHost: 'h', containerRid: withSlash })).toBe(
      `h_A----w==_${withSlash}`,
    )
  })

  it('give the initialization marker and the lock ids that no lease has', () => {
    expect(initializationMarker('p', '/id')).toEqual({ id: 'p.info' })
    expect(initializationMarker('p', '/partitionKey')).toEqual({ id: 'p.info', partitionKey: 'p.info' })
    expect(initializationLock('p', '/id', 30)).toEqual({ id: 'p.lock', ttl: 30 })
    expect(initializationLock('p', '/partitionKey', 30)).toEqual({
      id: 'p.lock',
      partitionKey: 'p.lock',
      ttl: 30,
    })
  })
})

import { describe, expect, it } from 'vitest'
import {
  connectionFromEnvironment,
  openConnection,
  type Connection,
} from '../../../src/connection/connection.js'

const account = { endpoint: 'http://127.0.0.1:8081', key: 'a2V5' }

describe('a connection', () => {
  it('is read from the environment variables that are set and not empty', () => {
    const environment = {
      COSMOS_ENDPOINT: 'https://a',
      COSMOS_KEY: '',
      COSMOS_LEASE_CONTAINER: 'l',
      OTHER: 'x',
    }
    expect(connectionFromEnvironment(environment)).toEqual({ endpoint: 'https://a', leaseContainer: 'l' })
  })

  it('has default names for database and containers, and may provision with a key', async () => {
    const opened = await openConnection(account)
    opened.close()
    const { database, container, leaseContainer, mayProvision } = opened
    expect([database, container, leaseContainer, mayProvision]).toEqual(['stepward', 'state', 'leases', true])
  })

  it('takes endpoint and key from a connection string', async () => {
    const connectionString = 'AccountEndpoint=https://contoso.documents.azure.com:443/;AccountKey=a2V5==;'
    const opened = await openConnection({ connectionString })
    opened.close()
    expect(opened.endpoint).toBe('https://contoso.documents.azure.com:443/')
  })

  it('takes the endpoint from the connection string where another one is undefined', async () => {
    const connectionString = 'AccountEndpoint=https://contoso.documents.azure.com:443/;AccountKey=a2V5==;'
    const opened = await openConnection({ connectionString, endpoint: undefined } as unknown as Connection)
    opened.close()
    expect(opened.endpoint).toBe('https://contoso.documents.azure.com:443/')
  })

  it.each<[string, Connection, RegExp]>([
    ['no account', {}, /no store is named: pass endpoint, connectionString/],
    [
      'no attached account',
      { embedded: null as never },
      /embedded is null: if it is from attachAccount\(\), no process/,
    ],
    [
      'an endpoint without scheme',
      { ...account, endpoint: 'localhost:8081' },
      /"localhost:8081"; it must be a URL/,
    ],
    ['another scheme', { ...account, endpoint: 'ftp://a' }, /"ftp:\/\/a"; it must be a URL/],
    ['http without a key', { endpoint: 'http://a' }, /is not https, so it needs a key/],
    [
      'a connection string of another form',
      { connectionString: 'x' },
      /connectionString is of another form .* it must be AccountEndpoint=/,
    ],
    [
      'one container for both',
      { ...account, container: 'c', leaseContainer: 'c' },
      /both "c": .* must be different/,
    ],
  ])('is refused with %s', async (_, connection, message) => {
    await expect(openConnection(connection)).rejects.toThrow(message)
  })

  it('never shows the key it refuses', async () => {
    const error: unknown = await openConnection({ ...account, key: 'not-base-64!' }).catch(
      (reason: unknown) => reason,
    )
    expect(String(error)).toMatch(/key is of another form .* base64/)
    expect(String(error)).not.toContain('not-base-64!')
  })

  it('is refused with every problem at once', async () => {
    const connection = { endpoint: 'localhost', key: '!' }
    await expect(openConnection(connection)).rejects.toMatchObject({
      problems: [expect.stringContaining('must be a URL'), expect.stringContaining('must be base64')],
    })
  })
})

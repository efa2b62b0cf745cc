import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { Agent, get } from 'node:https'
import { join } from 'node:path'
import { CosmosClient } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../src/platform/index.js'
import { scratchDirectory } from '../../support/scratch-directory.js'
import { anEmulator } from './doors.js'

describe('the emulator over HTTPS', () => {
  let directory: string
  beforeEach(() => {
    directory = join(scratchDirectory(), 'data')
  })

  const statusAt = (url: string, ca: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      get(url, { agent: new Agent({ ca }) }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      }).on('error', reject)
    })

  it('serves its own client without configuration, including endpoint discovery', async () => {
    const emulator = await anEmulator({ https: true })
    expect(emulator.endpoint).toMatch(/^https:/u)
    const client = emulator.client()
    const { resource: account } = await client.getDatabaseAccount()
    expect(account?.writableLocations[0]?.databaseAccountEndpoint).toBe(emulator.endpoint)
    const { database } = await client.databases.create({ id: 'shop' })
    const { container } = await database.containers.create({ id: 'orders', partitionKey: '/pk' })
    await container.items.create({ id: 'a', pk: 'a' })
    expect((await container.item('a', 'a').read()).resource).toMatchObject({ id: 'a' })
  })

  it('is trusted under every local name, but only by clients that trust its certificate', async () => {
    const emulator = await anEmulator({ https: true })
    const { port } = new URL(emulator.endpoint)
    const ca = emulator.certificate ?? ''
    expect(await statusAt(`https://127.0.0.1:${port}/`, ca)).toBe(401)
    expect(await statusAt(`https://localhost:${port}/`, ca)).toBe(401)
    expect(new X509Certificate(ca).subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    )
    const stranger = new CosmosClient({ endpoint: emulator.endpoint, key: emulator.key })
    await expect(stranger.databases.readAll().fetchAll()).rejects.toThrow(/self.signed certificate/u)
  })

  it('keeps its certificate in the data directory, with a key that only its user can read', async () => {
    let emulator = await anEmulator({ https: true, dataDirectory: directory })
    const { certificate } = emulator
    expect(readFileSync(join(directory, 'certificate.pem'), 'utf8')).toBe(certificate)
    expect(statSync(join(directory, 'certificate-key.pem')).mode & 0o077).toBe(0)
    await emulator.close()
    emulator = await anEmulator({ https: true, dataDirectory: directory })
    expect(emulator.certificate).toBe(certificate)
  })

  it.each(['certificate.pem', 'certificate-key.pem'])('refuses a damaged %s with a message', async (name) => {
    await (await anEmulator({ https: true, dataDirectory: directory })).close()
    truncateSync(join(directory, name), 100)
    await expect(anEmulator({ https: true, dataDirectory: directory })).rejects.toThrow(
      `The certificate in ${directory} is damaged or does not match its key. Delete certificate.pem and`,
    )
  })

  it('replaces its certificate when it has expired', async () => {
    const past = new VirtualClock(Date.UTC(2020, 0, 1))
    let emulator = await anEmulator({ https: true, dataDirectory: directory, clock: past })
    const { certificate } = emulator
    await emulator.close()
    emulator = await anEmulator({ https: true, dataDirectory: directory })
    expect(emulator.certificate).not.toBe(certificate)
    await emulator.client().databases.readAll().fetchAll()
  })

  it('uses HTTP and keeps no certificate unless asked for HTTPS', async () => {
    const emulator = await anEmulator({ dataDirectory: directory })
    expect(emulator.endpoint).toMatch(/^http:/u)
    expect(emulator.certificate).toBeNull()
    expect(existsSync(join(directory, 'certificate.pem'))).toBe(false)
  })
})

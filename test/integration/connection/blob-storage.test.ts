import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { blobStorage } from '../../../src/connection/azure/blob-storage.js'
import type { PayloadStore, StoredPayload } from '../../../src/sas/index.js'
import { startFakeBlobs, type FakeBlobs } from '../../support/fake-blobs.js'

const owner = { partitionKey: 'k/é', jobId: 'job-1' }
const content = Buffer.from([1, 2, 3, 0, 255])

let fake: FakeBlobs
let store: PayloadStore
beforeEach(async () => {
  fake = await startFakeBlobs()
  store = blobStorage({ connectionString: fake.connectionString })
})
afterEach(() => fake.close())

async function listed(): Promise<StoredPayload[]> {
  const found: StoredPayload[] = []
  for await (const payload of store.list()) found.push(payload)
  return found
}

describe('payloads in Azure Blob Storage, through its own client', () => {
  it('are stored, read, listed with their jobs, and removed', async () => {
    await store.put(owner, 'one', content, new AbortController().signal)
    expect([...fake.blobs.keys()]).toEqual([expect.stringMatching(/^[\w-]{43}\/one$/u)])
    expect(await store.get(owner, 'one')).toEqual(content)
    expect(await store.get(owner, 'two')).toBeNull()
    fake.blobs.set('strange', { content, metadata: {} })
    const [payload, ...others] = await listed()
    expect([payload, others]).toEqual([{ ...owner, id: 'one', writtenAtMs: Date.UTC(2026, 0, 1) }, []])
    if (payload !== undefined) await store.remove(payload)
    if (payload !== undefined) await store.remove(payload)
    expect([...fake.blobs.keys()]).toEqual(['strange'])
  })

  it('are refused with the error of the service', async () => {
    fake.refusals.push(403)
    await expect(store.put(owner, 'one', content)).rejects.toMatchObject({ statusCode: 403 })
    fake.refusals.push(403)
    await expect(store.get(owner, 'one')).rejects.toMatchObject({ statusCode: 403 })
  })

  it('need one address, and no wrong option', () => {
    expect(() => blobStorage({})).toThrow('blobStorage needs one of url, connectionString and client')
    expect(() => blobStorage({ url: 'ftp://x', conection: '' } as never)).toThrow(
      /conection[\s\S]*url|url[\s\S]*conection/u,
    )
    expect(blobStorage({ url: 'https://contoso.blob.core.windows.net/payloads' }).largerThan).toBe(65_536)
  })
})

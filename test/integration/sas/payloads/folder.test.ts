import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { folder } from '../../../../src/sas/payloads/folder.js'
import type { PayloadStore, StoredPayload } from '../../../../src/sas/payloads/payload-store.js'
import { scratchDirectory } from '../../../support/scratch-directory.js'

const owner = { partitionKey: 'k/../é', jobId: '..' }
const content = Buffer.from('packed\nwith lines')

let path: string
let store: PayloadStore
beforeEach(() => {
  path = join(scratchDirectory(), 'payloads')
  store = folder(path)
})

async function listed(): Promise<StoredPayload[]> {
  const found: StoredPayload[] = []
  for await (const payload of store.list()) found.push(payload)
  return found
}

describe('a folder of payloads', () => {
  it('stores, reads, lists and removes payloads of jobs with any id', async () => {
    expect(await listed()).toEqual([])
    await store.put(owner, 'one', content)
    await store.put({ ...owner, jobId: 'x'.repeat(200) }, 'two', content)
    expect(await store.get(owner, 'one')).toEqual(content)
    const all = await listed()
    expect(all).toHaveLength(2)
    const [one] = all.filter(({ id }) => id === 'one')
    expect(one).toEqual({ ...owner, id: 'one', writtenAtMs: expect.any(Number) as number })
    if (one !== undefined) await store.remove(one)
    if (one !== undefined) await store.remove(one)
    expect(await store.get(owner, 'one')).toBeNull()
    expect(await listed()).toHaveLength(1)
    expect(await readdir(path)).toHaveLength(1)
  })

  it('never shows a payload that is only partly written', async () => {
    await store.put(owner, 'one', content)
    const [name = ''] = await readdir(path)
    expect(await readdir(join(path, name))).toEqual(['one'])
    expect(String(await readFile(join(path, name, 'one')))).toBe('["k/../é",".."]\npacked\nwith lines')
    await writeFile(join(path, name, 'two.part'), '["k/../é",')
    await mkdir(join(path, 'other'))
    expect((await listed()).map(({ id }) => id)).toEqual(['one'])
    expect(await store.get(owner, 'two')).toBeNull()
  })

  it('refuses options that are wrong', () => {
    expect(() => folder('')).toThrow('folder needs the path of a folder')
    expect(() => folder('x', { largerThan: 5 })).toThrow(/largerThan/u)
  })

  it('reports what the file system refuses', async () => {
    await writeFile(path, 'a file')
    await expect(store.put(owner, 'one', content)).rejects.toThrow(/EEXIST|ENOTDIR/u)
  })
})

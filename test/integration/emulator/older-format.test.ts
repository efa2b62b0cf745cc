import { open } from 'lmdb'
import { expect, it } from 'vitest'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { scan } from '../../../src/emulator/engine/index.js'
import { RecordTotal, sealed, sealOf } from '../../../src/emulator/durability/record-checksum.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

const settings = { encoding: 'string', overlappingSync: false } as const

/**
 * Copies a directory as format 2 had it: with pages of 4 KB, and with a line of all fields before the whole
 * text of a document.
 */
async function olderCopy(path: string, cosmos: InProcessCosmos): Promise<string> {
  const container = cosmos.engine.container('shop', 'orders')
  const older = new Map<string, string>()
  for (const version of scan(container)) {
    const { text, ...fields } = version.toJSON()
    const key = `document/${container.rid}/${String(version.number).padStart(16, '0')}`
    older.set(key, sealed(key, `${JSON.stringify(fields)}\n${text}`))
  }
  await cosmos.close()
  const source = open<string, string>({ path, ...settings })
  const copy = scratchDirectory()
  const target = open<string, string>({ path: copy, pageSize: 4_096, ...settings })
  const total = new RecordTotal()
  for (const { key, value } of source.getRange()) {
    if (key === 'format' || key === 'total') continue
    const text = older.get(key) ?? value
    total.add(sealOf(text))
    await target.put(key, text)
  }
  await target.put('total', sealed('total', total.text))
  await target.put('format', '2')
  await Promise.all([source.close(), target.close()])
  return copy
}

it('a data directory of format 2 is read, written to, and then has format 3', async () => {
  const first = scratchDirectory()
  const before = createInProcessCosmos({ dataDirectory: first, partitionCount: 3 })
  before.engine.createDatabase('shop')
  const created = before.engine.createContainer('shop', { id: 'orders', partitionKey: { paths: ['/pk'] } })
  for (let number = 0; number < 50; number += 1) {
    const document = { id: `o${number}`, pk: `k${number % 7}`, note: 'ü\n€'.repeat(number), ttl: number + 1 }
    created.execute([document.pk], { kind: 'upsert', document })
  }
  const batch = ['a', 'b', 'c'].map((id) => ({ kind: 'create', document: { id, pk: 'k0' } }) as const)
  created.batch(['k0'], batch)
  const sizes = [...scan(created)].map(({ bytes }) => bytes)
  const shown = [...scan(created)].map((version) => version.toJSON())
  const dataDirectory = await olderCopy(first, before)

  const older = createInProcessCosmos({ dataDirectory, memoryBytes: 0 })
  const container = older.engine.container('shop', 'orders')
  expect([...scan(container)].map((version) => version.toJSON())).toEqual(shown)
  expect([...scan(container)].map(({ bytes }) => bytes)).toEqual(sizes)
  container.execute(['k1'], { kind: 'upsert', document: { id: 'o1', pk: 'k1' } })
  const changed = [...scan(container)].map((version) => version.toJSON())
  await older.close()

  const newer = createInProcessCosmos({ dataDirectory, memoryBytes: 0 })
  const again = newer.engine.container('shop', 'orders')
  expect([...scan(again)].map((version) => version.toJSON())).toEqual(changed)
  await newer.close()
  const store = open<string, string>({ path: dataDirectory, ...settings })
  expect(store.get('format')).toBe('3')
  await store.close()
})

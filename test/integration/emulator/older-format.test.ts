import { open } from 'lmdb'
import { expect, it } from 'vitest'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { scan } from '../../../src/emulator/engine/index.js'
import { RecordTotal, sealed, sealOf } from '../../../src/emulator/durability/record-checksum.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

/** Writes the records of a directory as format 2 had them: a line with all fields, and then the whole text. */
async function madeOlder(path: string, cosmos: InProcessCosmos): Promise<void> {
  const container = cosmos.engine.container('shop', 'orders')
  const texts = new Map<string, string>()
  for (const version of scan(container)) {
    const { text, ...fields } = version.toJSON()
    const key = `document/${container.rid}/${String(version.number).padStart(16, '0')}`
    texts.set(key, sealed(key, `${JSON.stringify(fields)}\n${text}`))
  }
  await cosmos.close()
  const store = open<string, string>({ path, encoding: 'string', overlappingSync: false })
  for (const [key, value] of texts) await store.put(key, value)
  const total = new RecordTotal()
  for (const { key, value } of store.getRange()) {
    if (key !== 'format' && key !== 'total') total.add(sealOf(value))
  }
  await store.put('total', sealed('total', total.text))
  await store.put('format', '2')
  await store.close()
}

it('a data directory of format 2 is read, written to, and then has format 3', async () => {
  const dataDirectory = scratchDirectory()
  const before = createInProcessCosmos({ dataDirectory, partitionCount: 3 })
  before.engine.createDatabase('shop')
  const created = before.engine.createContainer('shop', { id: 'orders', partitionKey: { paths: ['/pk'] } })
  for (let number = 0; number < 50; number += 1) {
    const document = { id: `o${number}`, pk: `k${number % 7}`, note: 'ü\n€'.repeat(number), ttl: number + 1 }
    created.execute([document.pk], { kind: 'upsert', document })
  }
  const shown = [...scan(created)].map((version) => version.toJSON())
  await madeOlder(dataDirectory, before)

  const older = createInProcessCosmos({ dataDirectory, memoryBytes: 0 })
  const container = older.engine.container('shop', 'orders')
  expect([...scan(container)].map((version) => version.toJSON())).toEqual(shown)
  container.execute(['k1'], { kind: 'upsert', document: { id: 'o1', pk: 'k1' } })
  const changed = [...scan(container)].map((version) => version.toJSON())
  await older.close()

  const newer = createInProcessCosmos({ dataDirectory, memoryBytes: 0 })
  const again = newer.engine.container('shop', 'orders')
  expect([...scan(again)].map((version) => version.toJSON())).toEqual(changed)
  await newer.close()
  const store = open<string, string>({ path: dataDirectory, encoding: 'string', overlappingSync: false })
  expect(store.get('format')).toBe('3')
  await store.close()
})

import { open } from 'lmdb'
import { expect, it } from 'vitest'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { scan } from '../../../src/emulator/engine/index.js'
import { RecordTotal, sealed, sealOf, unsealed } from '../../../src/emulator/durability/record-checksum.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

const settings = { encoding: 'string', overlappingSync: false } as const

type Older = '2' | '3' | '5' | '6' | '7'

/**
 * Copies a directory as formats 2 and 3 had it: without the records that find documents, and without the counts
 * of partitions. Format 2 had pages of 4 KB, and a line of all fields before the whole text of a document. Format 5 had
 * no templates, which so few documents do not make. Format 6 had no record of logs. Format 7 had
 * no summaries of chapters, which so few documents do not make either.
 */
async function olderCopy(path: string, cosmos: InProcessCosmos, format: Older): Promise<string> {
  const container = cosmos.engine.container('shop', 'orders')
  const older = new Map<string, string>()
  for (const version of scan(container)) {
    const { text, ...fields } = version.toJSON()
    const key = `document/${container.rid}/${String(version.number).padStart(16, '0')}`
    if (format === '2') older.set(key, sealed(key, `${JSON.stringify(fields)}\n${text}`))
  }
  await cosmos.close()
  const source = open<string, string>({ path, ...settings })
  const copy = scratchDirectory()
  const target = open<string, string>({ path: copy, pageSize: format === '2' ? 4_096 : 8_192, ...settings })
  const total = new RecordTotal()
  const isOld = format === '2' || format === '3'
  for (const { key, value } of source.getRange()) {
    if (key === 'format' || key === 'total' || key === 'log') continue
    if (isOld && key.startsWith('by-')) continue
    const text = isOld && key.startsWith('partition/') ? withoutCounts(key, value) : (older.get(key) ?? value)
    total.add(sealOf(text))
    await target.put(key, text)
  }
  await target.put('total', sealed('total', total.text))
  await target.put('format', format)
  await Promise.all([source.close(), target.close()])
  return copy
}

function withoutCounts(key: string, value: string): string {
  const { count, bytes, ...record } = JSON.parse(unsealed(value)) as Readonly<Record<string, unknown>>
  expect(count).toBeGreaterThanOrEqual(0)
  expect(bytes).toBeGreaterThanOrEqual(0)
  return sealed(key, JSON.stringify(record))
}

it.each(['2', '3', '5', '6', '7'] as const)(
  'a data directory of format %s is read, and then has format 8',
  async (format) => {
    const first = scratchDirectory()
    const before = createInProcessCosmos({ dataDirectory: first, partitionCount: 3 })
    before.engine.createDatabase('shop')
    const created = before.engine.createContainer('shop', {
      id: 'orders',
      partitionKey: { paths: ['/pk'] },
      defaultTtl: -1,
    })
    for (let number = 0; number < 50; number += 1) {
      const document = {
        id: `o${number}`,
        pk: `k${number % 7}`,
        note: 'ü\n€'.repeat(number),
        ttl: number + 1_000,
      }
      created.execute([document.pk], { kind: 'upsert', document })
    }
    const batch = ['a', 'b', 'c'].map((id) => ({ kind: 'create', document: { id, pk: 'k0' } }) as const)
    created.batch(['k0'], batch)
    const sizes = [...scan(created)].map(({ bytes }) => bytes)
    const shown = [...scan(created)].map((version) => version.toJSON())
    const dataDirectory = await olderCopy(first, before, format)

    const older = createInProcessCosmos({ dataDirectory, memoryBytes: 0 })
    const container = older.engine.container('shop', 'orders')
    expect([...scan(container)].map((version) => version.toJSON())).toEqual(shown)
    expect([...scan(container)].map(({ bytes }) => bytes)).toEqual(sizes)
    expect(container.documentCount).toBe(sizes.length)
    expect(container.documentBytes).toBe(sizes.reduce((sum, one) => sum + one, 0))
    expect(container.find(['k3'], 'o3')?.text).toBe(shown.find(({ id }) => id === 'o3')?.text)
    container.execute(['k1'], { kind: 'upsert', document: { id: 'o1', pk: 'k1' } })
    const changed = [...scan(container)].map((version) => version.toJSON())
    await older.close()

    const newer = createInProcessCosmos({ dataDirectory, memoryBytes: 0 })
    const again = newer.engine.container('shop', 'orders')
    expect([...scan(again)].map((version) => version.toJSON())).toEqual(changed)
    await newer.close()
    const store = open<string, string>({ path: dataDirectory, ...settings })
    expect(store.get('format')).toBe('8')
    // A store that had format 8 from the beginning has the same records.
    const finding = [...store.getKeys()].filter((key) => key.startsWith('by-'))
    expect(finding.filter((key) => key.startsWith('by-expiry/'))).toHaveLength(49)
    expect(finding.filter((key) => key.startsWith('by-id/'))).toHaveLength(53)
    await store.close()
  },
)

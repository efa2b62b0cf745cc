import * as fc from 'fast-check'
import { open } from 'lmdb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createInProcessCosmos } from '../../../../src/emulator/index.js'
import type { JournalRecord } from '../../../../src/emulator/engine/index.js'
import { LmdbJournal } from '../../../../src/emulator/durability/lmdb-journal.js'
import { WriteAheadLog } from '../../../../src/emulator/durability/write-ahead-log.js'
import { scratchDirectory } from '../../../support/scratch-directory.js'

const database = (rid: string): JournalRecord => ({
  kind: 'database',
  rid,
  value: { id: rid, rid, etag: '"0"', ts: 0, lastContainerNumber: 0 },
})

describe('LmdbJournal', () => {
  let directory: string

  beforeEach(() => {
    directory = scratchDirectory()
  })

  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('is settled before the first write, and again after it', async () => {
    const journal = LmdbJournal.open(directory)
    await journal.settled()
    expect(journal.settled()).toBeNull()
    journal.append([database('one')])
    expect(journal.settled()).not.toBeNull()
    await journal.settled()
    expect(journal.settled()).toBeNull()
    await journal.close()
  })

  it('writes few groups for transactions of many requests that each wait for their own', async () => {
    const journal = LmdbJournal.open(directory)
    await journal.settled()
    journal.append([database('first')])
    await journal.settled()
    const append = vi.spyOn(WriteAheadLog.prototype, 'append')
    // A group begins a few microtasks after its first transaction. These requests need more than that between two of them.
    const work = async (ticks: number): Promise<void> => {
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
    }
    const requests = Array.from({ length: 100 }, async (_, request) => {
      await work(20 * request)
      for (let round = 0; round < 4; round += 1) {
        journal.append([database(`d${request}-${round}`)])
        await journal.settled()
        await work(20)
      }
    })
    await Promise.all(requests)
    expect(append.mock.calls.length).toBeLessThan(20)
    await journal.close()
  })

  it('combines concurrent writes, and keeps the newest', async () => {
    const journal = LmdbJournal.open(directory)
    for (let round = 0; round < 50; round += 1) {
      journal.append([database(`d${round % 3}`)])
      if (round % 7 === 0) await journal.settled()
    }
    journal.append([{ kind: 'database', rid: 'd1', value: null }])
    await journal.close()
    const again = LmdbJournal.open(directory)
    expect([...again.contents().databases].map(({ rid }) => rid)).toEqual(['d0', 'd2'])
    await again.close()
  })

  it('says how much memory the writes need that are not in the store yet', async () => {
    const journal = LmdbJournal.open(directory)
    expect(journal.waitingBytes).toBe(0)
    journal.append([{ kind: 'summary', containerRid: 'c', block: 0, text: 'x'.repeat(100_000) }])
    await journal.settled()
    expect(journal.waitingBytes).toBeGreaterThan(100_000)
    expect(journal.waitingBytes).toBeLessThan(200_000)
    await journal.applied()
    expect(journal.waitingBytes).toBeLessThan(1_000)
    await journal.close()
  })

  it('acknowledges nothing after a failed write', async () => {
    const journal = LmdbJournal.open(directory)
    await journal.close()
    journal.append([database('late')])
    await expect(journal.settled()).rejects.toThrow('could not be written')
    journal.append([database('later')])
    await expect(journal.settled()).rejects.toThrow('could not be written')
  })

  it('restores any document unchanged, whatever its key and text', async () => {
    const keyed = fc.record({
      id: fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
        .filter((id) => !/[/\\?#]| $/u.test(id)),
      pk: fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean(), fc.constant(null)),
      more: fc.jsonValue(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(keyed, { maxLength: 20 }), async (documents) => {
        const before = createInProcessCosmos({ dataDirectory: directory })
        if (before.engine.databases.length > 0) before.engine.deleteDatabase('db')
        before.engine.createDatabase('db')
        const container = before.engine.createContainer('db', { id: 'c', partitionKey: { paths: ['/pk'] } })
        for (const document of documents) container.execute([document.pk], { kind: 'upsert', document })
        const shown = container.partitions.map((partition) =>
          [...partition.changes.after(0)].map((version) => version.toJSON()),
        )
        await before.close()
        const after = createInProcessCosmos({ dataDirectory: directory })
        const restored = after.engine.container('db', 'c')
        expect(
          restored.partitions.map((partition) =>
            [...partition.changes.after(0)].map((version) => version.toJSON()),
          ),
        ).toEqual(shown)
        await after.close()
      }),
      { numRuns: 15 },
    )
  })

  it('keeps documents with equal properties short, and forgets how when their container is removed', async () => {
    const dataDirectory = directory
    const orders = { id: 'orders', partitionKey: { paths: ['/pk'] } }
    const documentOf = (number: number, round: number): Readonly<Record<string, unknown>> => ({
      id: `order-${number}`,
      pk: `customer-${number % 9}`,
      round,
      note: 'Please deliver to the back door. '.repeat(10),
      state: number % 2 === 0 ? 'open' : 'shipped',
    })
    const before = createInProcessCosmos({ dataDirectory })
    before.engine.createDatabase('shop')
    const container = before.engine.createContainer('shop', orders)
    const write = (number: number, round: number): void => {
      const document = documentOf(number, round)
      container.execute([String(document['pk'])], { kind: 'upsert', document })
    }
    for (let number = 0; number < 520; number += 1) write(number, 1)
    await container.journal.applied()
    for (let number = 0; number < 300; number += 1) write(number, 2)
    await before.close()

    const after = createInProcessCosmos({ dataDirectory, memoryBytes: 0 })
    const restored = after.engine.container('shop', 'orders')
    for (let number = 0; number < 520; number += 1) {
      const { id, pk, ...own } = documentOf(number, number < 300 ? 2 : 1)
      const text = restored.find([String(pk)], String(id))?.text ?? ''
      expect(JSON.parse(text)).toMatchObject({ id, pk, ...own })
      expect(text).toMatch(/,"_ts":\d+\}$/u)
    }
    await after.close()
    const store = open<string, string>({ path: dataDirectory, encoding: 'string' })
    const lengths = [...store.getRange({ start: 'document/', end: 'document0' })].map(
      ({ value }) => value.length,
    )
    expect(lengths.filter((length) => length < 200)).toHaveLength(309)
    expect([...store.getKeys({ start: 'template/', end: 'template0' })]).toHaveLength(1)
    await store.close()

    const last = createInProcessCosmos({ dataDirectory })
    last.engine.deleteDatabase('shop')
    await last.close()
    const emptied = open<string, string>({ path: dataDirectory, encoding: 'string' })
    expect([...emptied.getKeys({ start: 'template/', end: 'template0' })]).toEqual([])
    await emptied.close()
  })
})

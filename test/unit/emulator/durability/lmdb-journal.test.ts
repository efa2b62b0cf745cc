import * as fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../../src/emulator/index.js'
import type { JournalRecord } from '../../../../src/emulator/engine/index.js'
import { LmdbJournal } from '../../../../src/emulator/durability/lmdb-journal.js'
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
})

import { afterEach, describe, expect, it, vi } from 'vitest'
import { GroupWriter } from '../../../src/emulator/durability/group-writer.js'
import type { Container } from '../../../src/emulator/engine/index.js'
import { readAllVersions } from '../../../src/emulator/engine/all-versions-feed.js'
import { VirtualClock } from '../../../src/platform/index.js'
import { scratchDirectory } from '../../support/scratch-directory.js'
import {
  everything,
  leftovers,
  openDirectory,
  put,
  shopIn,
  shownAfterStart,
  snapshot,
} from './dead-directory.js'

function setLifetime(container: Container, defaultTtl: number): void {
  const { definition } = container
  container.redefine({ ...definition, body: { ...definition.body, defaultTtl }, defaultTtl })
}

/** Returns the pages of the feed of all versions of the documents after an LSN. */
function allVersions(container: Container, lsn: number): readonly string[] {
  return container.partitions.flatMap((partition) => {
    const { texts } = readAllVersions(container, partition, {
      start: { kind: 'after', lsn },
      maxItemCount: 1_000,
    })
    return texts
  })
}

describe('a container in the log of a process that died', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it.each(['once', 'one group', 'two lives'])(
    'is removed if it got another time to live, in %s',
    async (when) => {
      const directory = scratchDirectory()
      const cosmos = openDirectory(directory)
      const container = shopIn(cosmos, { defaultTtl: 1_000 })
      for (let number = 0; number < 5; number += 1) put(container, `d${number}`)
      cosmos.engine.createContainer('shop', { id: 'other', partitionKey: { paths: ['/pk'] } })
      await cosmos.engine.applied()
      // The write of the new settings must not reach the store before the container is removed.
      if (when === 'two lives') vi.spyOn(GroupWriter.prototype, 'retimed').mockReturnValue([])
      setLifetime(container, 50)
      if (when !== 'one group') await cosmos.engine.settled()
      cosmos.engine.deleteContainer('shop', 'c')
      await cosmos.engine.settled()
      const shown = everything(cosmos)
      const copy = snapshot(directory)
      vi.restoreAllMocks()
      await cosmos.close()
      for (const found of [directory, copy]) {
        expect(await shownAfterStart(found)).toBe(shown)
        expect(await shownAfterStart(found)).toBe(shown)
      }
    },
  )

  it('leaves nothing on disk if its database was removed between two looks for expired documents', async () => {
    const clock = new VirtualClock()
    const directory = scratchDirectory()
    const cosmos = openDirectory(directory, clock)
    put(shopIn(cosmos, { defaultTtl: 1 }), 'one')
    const other = { id: 'other', partitionKey: { paths: ['/pk'] }, defaultTtl: 1 }
    put(cosmos.engine.createContainer('shop', other), 'two')
    cosmos.engine.createDatabase('stays')
    cosmos.engine.createContainer('stays', other)
    // Each access looks at one more container.
    cosmos.engine.container('stays', 'other')
    cosmos.engine.deleteDatabase('shop')
    await clock.advance(5_000)
    for (let access = 0; access < 4; access += 1) cosmos.engine.container('stays', 'other')
    await cosmos.close()
    expect(await leftovers(directory)).toEqual([])
  })

  it.each(['before', 'after'])(
    'drops its documents by a new time to live if the process dies %s the store has it',
    async (when) => {
      const clock = new VirtualClock()
      const original = scratchDirectory()
      const first = openDirectory(original, clock)
      const container = shopIn(first, { defaultTtl: 1_000, changeFeedPolicy: { retentionDuration: 10 } })
      for (let number = 0; number < 5; number += 1) put(container, `d${number}`)
      await first.engine.applied()
      if (when === 'before') vi.spyOn(GroupWriter.prototype, 'retimed').mockReturnValue([])
      setLifetime(container, 10)
      await first.engine.settled()
      if (when === 'after') await first.engine.applied()
      const directory = snapshot(original)
      vi.restoreAllMocks()
      await first.close()

      const second = openDirectory(directory, clock)
      await second.engine.settled()
      const found = second.engine.container('shop', 'c')
      expect(found.documentCount).toBe(5)
      await clock.advance(11_000)
      await vi.waitUntil(
        async () => {
          await clock.advance(1_000)
          found.purgeExpired()
          return found.documentCount === 0
        },
        { timeout: 20_000 },
      )
      expect(allVersions(found, 0).filter((text) => text.includes('"timeToLiveExpired":true'))).toHaveLength(
        5,
      )
      await second.close()
    },
  )

  it('has all versions in its feed, with removals and expiries, at the same positions', async () => {
    const clock = new VirtualClock()
    const directory = scratchDirectory()
    const cosmos = openDirectory(directory, clock)
    const container = shopIn(cosmos, { defaultTtl: -1, changeFeedPolicy: { retentionDuration: 10 } })
    for (let round = 0; round < 3; round += 1) {
      for (let number = 0; number < 4; number += 1) put(container, `d${number}`, `round ${round}`)
      container.execute(['k'], { kind: 'delete', id: 'd1' })
      container.execute(['k'], { kind: 'upsert', document: { id: 'brief', pk: 'k', ttl: 5 } })
      // Some changes are in the store, some in the log.
      if (round < 2) await cosmos.engine.applied()
      await clock.advance(6_000)
      container.purgeExpired()
    }
    await cosmos.engine.settled()
    const copy = snapshot(directory)
    const shown = [0, 4, 9].map((lsn) => allVersions(container, lsn))
    expect(shown[0]).toHaveLength(3 * 7)
    await cosmos.close()
    for (const found of [copy, copy, directory]) {
      const again = openDirectory(found, clock)
      const restored = again.engine.container('shop', 'c')
      expect([0, 4, 9].map((lsn) => allVersions(restored, lsn))).toEqual(shown)
      if (found === directory) await forgets(restored, clock)
      await again.close()
    }
    expect(await shownAfterStart(copy, clock)).not.toBe('')
  })

  async function forgets(container: Container, clock: VirtualClock): Promise<void> {
    await clock.advance(11 * 60_000)
    expect(allVersions(container, container.partitions[0]?.lsn ?? 0)).toEqual([])
    expect(() => allVersions(container, 1)).toThrow('within the retention period')
  }
})

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DirectoryInUse, type DirectoryLock } from '../../../src/emulator/durability/directory-lock.js'
import { LmdbJournal } from '../../../src/emulator/durability/lmdb-journal.js'
import { scratchDirectory } from '../../support/scratch-directory.js'
import {
  everything,
  groupsIn,
  intercept,
  logsIn,
  openDirectory,
  put,
  shopIn,
  shownAfterStart,
  snapshot,
} from './dead-directory.js'

describe('the logs of a data directory', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('cuts off an incomplete group before the next log begins', async () => {
    const original = scratchDirectory()
    const first = openDirectory(original)
    put(shopIn(first), 'one')
    await first.engine.settled()
    const shown = everything(first)
    const directory = snapshot(original)
    await first.close()
    appendFileSync(join(directory, logsIn(directory)[0] ?? ''), '\nSTWLOG\n cut short')

    const second = openDirectory(directory)
    const copies: string[] = []
    intercept(async (write) => {
      await write()
      copies.push(snapshot(directory))
    })
    await second.engine.applied()
    await second.close()
    vi.restoreAllMocks()
    expect(copies.length).toBeGreaterThan(2)
    for (const copy of copies) expect(await shownAfterStart(copy)).toBe(shown)
  })

  it('is refused if a log that has ended lost its end', async () => {
    const original = scratchDirectory()
    const cosmos = openDirectory(original)
    put(shopIn(cosmos), 'one')
    await cosmos.engine.settled()
    const copies: string[] = []
    intercept(async (write) => {
      await write()
      copies.push(snapshot(original))
    })
    await cosmos.engine.applied()
    vi.restoreAllMocks()
    await cosmos.close()
    const directory = copies.find((copy) => logsIn(copy).length === 2) ?? ''
    writeFileSync(join(directory, 'writes-1.log'), '')
    expect(() => openDirectory(directory)).toThrow('writes-1.log is damaged')
  })

  it('leaves no logs that it does not need', async () => {
    const directory = scratchDirectory()
    const cosmos = openDirectory(directory)
    put(shopIn(cosmos), 'one')
    await cosmos.engine.settled()
    const copy = snapshot(directory)
    await cosmos.close()
    for (const number of [0, 2, 7]) writeFileSync(join(copy, `writes-${number}.log`), 'old')
    const again = openDirectory(copy)
    await again.engine.settled()
    expect(logsIn(copy)).toHaveLength(4)
    await again.engine.applied()
    expect(logsIn(copy)).toEqual(['writes-2.log'])
    writeFileSync(join(copy, 'writes-9.log'), 'old')
    await again.close()
    expect(logsIn(copy)).toEqual([])
  })

  it('are read up to the last group if parts of it never reached the disk', async () => {
    const original = scratchDirectory()
    const cosmos = openDirectory(original)
    const container = shopIn(cosmos)
    put(container, 'one')
    await cosmos.engine.settled()
    const before = everything(cosmos)
    const start = groupsIn(join(original, 'writes-1.log')).length
    put(container, 'two', 'x'.repeat(20_000))
    await cosmos.engine.settled()
    const size = groupsIn(join(original, 'writes-1.log')).length
    for (let at = start; at < size; at += 2_048) {
      const directory = snapshot(original)
      const bytes = readFileSync(join(directory, 'writes-1.log'))
      bytes.fill(0, at, at + 512)
      writeFileSync(join(directory, 'writes-1.log'), bytes)
      expect(await shownAfterStart(directory)).toBe(before)
    }
    await cosmos.close()
  })

  it('are not needed if the process dies before the store has recorded the first one', async () => {
    const directory = scratchDirectory()
    const cosmos = openDirectory(directory)
    let copy = ''
    intercept(async (write) => {
      if (copy === '') copy = snapshot(directory)
      await write()
    })
    shopIn(cosmos)
    await cosmos.engine.settled()
    await cosmos.close()
    vi.restoreAllMocks()
    expect(logsIn(copy)).toEqual(['writes-1.log'])
    const again = openDirectory(copy)
    expect(again.engine.databases).toEqual([])
    put(shopIn(again), 'one')
    await again.close()
    expect(logsIn(copy)).toEqual([])
  })

  it('are as before if the lock on the directory is refused after it was opened', async () => {
    const original = scratchDirectory()
    const cosmos = openDirectory(original)
    put(shopIn(cosmos), 'one')
    await cosmos.engine.settled()
    const directory = snapshot(original)
    await cosmos.close()
    const files = ['data.mdb', 'writes-1.log'].map((name) => join(directory, name))
    appendFileSync(files[1] ?? '', '\nSTWLOG\n cut short')
    const contents = (): readonly Buffer[] => files.map((file) => readFileSync(file))
    const before = contents()
    const refused = Promise.reject<DirectoryLock>(new DirectoryInUse(directory))
    const journal = LmdbJournal.open(directory, refused)
    journal.append([{ kind: 'user', rid: 'u', value: null }])
    await expect(journal.settled()).rejects.toThrow(DirectoryInUse)
    await expect(journal.applied()).rejects.toThrow(DirectoryInUse)
    await expect(journal.close()).rejects.toThrow(DirectoryInUse)
    expect(contents().every((bytes, index) => bytes.equals(before[index] ?? Buffer.alloc(0)))).toBe(true)
    expect(logsIn(directory)).toEqual(['writes-1.log'])
  })

  it('are all in the store if the directory is closed during a transfer', async () => {
    const directory = scratchDirectory()
    const cosmos = openDirectory(directory)
    const container = shopIn(cosmos)
    put(container, 'one')
    await cosmos.engine.settled()
    let isBegun = false
    intercept((write) => {
      isBegun = true
      return write()
    })
    const applying = cosmos.engine.applied()
    await vi.waitUntil(() => isBegun, { timeout: 60_000 })
    put(container, 'two')
    const shown = everything(cosmos)
    await Promise.all([cosmos.close(), applying])
    vi.restoreAllMocks()
    expect(logsIn(directory)).toEqual([])
    expect(await shownAfterStart(directory)).toBe(shown)
  })
})

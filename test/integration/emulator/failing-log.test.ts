import { afterEach, describe, expect, it, vi } from 'vitest'
import { WriteAheadLog } from '../../../src/emulator/durability/write-ahead-log.js'
import { CosmosEngine } from '../../../src/emulator/engine/index.js'
import { deferred } from '../../support/deferred.js'
import { scratchDirectory } from '../../support/scratch-directory.js'
import {
  everything,
  hasDocuments,
  intercept,
  logsIn,
  openDirectory,
  put,
  shopIn,
  shownAfterStart,
  snapshot,
} from './dead-directory.js'

const patient = { timeout: 60_000 }

describe('a data directory that fails', () => {
  const rejections: unknown[] = []
  const note = (reason: unknown): void => {
    rejections.push(reason)
  }

  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('keeps its logs if the transfer fails while it is being closed', async () => {
    const directory = scratchDirectory()
    const cosmos = openDirectory(directory)
    put(shopIn(cosmos), 'one')
    await cosmos.engine.settled()
    const shown = everything(cosmos)
    const failing = deferred<undefined>()
    let isFailing = false
    intercept((write, given) => {
      isFailing = hasDocuments(given)
      return isFailing ? failing.promise : write()
    })
    const applying = cosmos.engine.applied()
    await vi.waitUntil(() => isFailing, patient)
    const closing = cosmos.close()
    failing.reject(new Error('MDB_MAP_FULL'))
    await expect(applying).rejects.toThrow('could not be written')
    await expect(closing).rejects.toThrow('could not be written')
    vi.restoreAllMocks()
    expect(await shownAfterStart(directory)).toBe(shown)
  })

  it.each([3, Infinity])(
    'has the changes of %i writers that come while it is being closed, or refuses them',
    async (most) => {
      const directory = scratchDirectory()
      const cosmos = openDirectory(directory)
      const container = shopIn(cosmos)
      await cosmos.engine.settled()
      const acknowledged: string[] = []
      const writes: Promise<void>[] = []
      let count = 0
      const writeOne = (): void => {
        if (count > most) return
        const id = `d${count}`
        count += 1
        put(container, id)
        const settled = cosmos.engine.settled()?.then(
          () => void acknowledged.push(id),
          () => undefined,
        )
        if (settled !== undefined) writes.push(settled)
      }
      intercept(async (write) => {
        writeOne()
        await write()
        writeOne()
      })
      writeOne()
      await cosmos.close()
      await Promise.all(writes)
      vi.restoreAllMocks()
      // If changes do not end, the next start reads the log.
      expect(logsIn(directory)).toHaveLength(most === Infinity ? 1 : 0)
      const again = openDirectory(directory)
      const found = acknowledged.filter(
        (id) => again.engine.container('shop', 'c').find(['k'], id) === undefined,
      )
      await again.close()
      expect(acknowledged.length).toBeGreaterThan(1)
      expect(found).toEqual([])
      expect(logsIn(directory)).toEqual([])
    },
  )

  it('can be closed twice', async () => {
    const directory = scratchDirectory()
    const cosmos = openDirectory(directory)
    put(shopIn(cosmos), 'one')
    await Promise.all([cosmos.close(), cosmos.close()])
    await cosmos.close()
    const again = openDirectory(directory)
    expect(again.engine.container('shop', 'c').documentCount).toBe(1)
    await again.close()
  })

  it('lets writes wait while the log is long, and refuses them if the transfer fails', async () => {
    const directory = scratchDirectory()
    const cosmos = openDirectory(directory)
    const container = shopIn(cosmos)
    const failing = deferred<undefined>()
    let hasFailed = false
    let later = 0
    intercept((write, given) => {
      if (hasFailed) later += 1
      return hasDocuments(given) ? failing.promise : write()
    })
    const text = 'x'.repeat(1_000_000)
    let acknowledged = 0
    let refused: unknown = null
    let isWaiting = false
    const writing = (async () => {
      for (let number = 0; number < 60; number += 1) {
        put(container, `d${number}`, text)
        isWaiting = true
        await cosmos.engine.settled()
        isWaiting = false
        acknowledged += 1
      }
    })().catch((error: unknown) => (refused = error))
    // More than both logs hold. All that can happen without the transfer happens in these turns.
    await vi.waitUntil(() => acknowledged >= 41, patient)
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
    expect(acknowledged).toBeLessThan(45)
    expect(isWaiting).toBe(true)
    hasFailed = true
    failing.reject(new Error('MDB_MAP_FULL'))
    await writing
    expect(String(refused)).toContain('could not be written')
    await expect(cosmos.engine.settled()).rejects.toThrow('could not be written')
    await expect(cosmos.close()).rejects.toThrow('could not be written')
    // The total of a transaction that failed is in memory, so no other one may follow.
    expect(later).toBe(0)
    vi.restoreAllMocks()
    const again = openDirectory(directory)
    expect(again.engine.container('shop', 'c').documentCount).toBe(acknowledged)
    await again.close()
    expect(await shownAfterStart(directory)).not.toBe('')
  })

  it('goes on after the transfer that writes waited for', async () => {
    const directory = scratchDirectory()
    const cosmos = openDirectory(directory)
    const container = shopIn(cosmos)
    const held = deferred<undefined>()
    intercept(async (write, given) => {
      if (hasDocuments(given)) await held.promise
      await write()
    })
    const text = 'x'.repeat(1_000_000)
    let acknowledged = 0
    const writing = (async () => {
      for (let number = 0; number < 60; number += 1) {
        put(container, `d${number}`, text)
        await cosmos.engine.settled()
        acknowledged += 1
      }
    })()
    await vi.waitUntil(() => acknowledged >= 41, patient)
    held.resolve(undefined)
    await writing
    const shown = everything(cosmos)
    expect(await shownAfterStart(snapshot(directory))).toBe(shown)
    await cosmos.close()
    expect(await shownAfterStart(directory)).toBe(shown)
  })

  it('waits for the transfer before it closes the store, if a log fails meanwhile', async () => {
    const directory = scratchDirectory()
    const cosmos = openDirectory(directory)
    const container = shopIn(cosmos)
    put(container, 'one')
    await cosmos.engine.settled()
    const shown = everything(cosmos)
    const held = deferred<undefined>()
    const events: string[] = []
    intercept(async (write, given) => {
      if (hasDocuments(given)) await held.promise
      await write()
      events.push('written')
    })
    const applying = cosmos.engine.applied()?.catch(() => undefined)
    await vi.waitUntil(() => logsIn(directory).length === 2 && events.length > 0, patient)
    vi.spyOn(WriteAheadLog.prototype, 'append').mockRejectedValue(new Error('ENOSPC'))
    put(container, 'two')
    await expect(cosmos.engine.settled()).rejects.toThrow('could not be written')
    const closing = cosmos.close().then(
      () => events.push('closed'),
      () => events.push('closed'),
    )
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
    expect(events).not.toContain('closed')
    held.resolve(undefined)
    await closing
    await applying
    vi.restoreAllMocks()
    expect(await shownAfterStart(directory)).toBe(shown)
  })

  it('keeps its logs if its contents cannot be restored', async () => {
    const original = scratchDirectory()
    const first = openDirectory(original)
    put(shopIn(first), 'one')
    await first.engine.settled()
    const shown = everything(first)
    const directory = snapshot(original)
    await first.close()
    vi.spyOn(CosmosEngine.prototype, 'restore').mockImplementation(() => {
      throw new RangeError('no database')
    })
    expect(() => openDirectory(directory)).toThrow('no database')
    vi.restoreAllMocks()
    const found = await vi.waitUntil(() => {
      try {
        return openDirectory(directory)
      } catch (error) {
        if (String(error).includes('in use') || String(error).includes('open in this process')) return null
        throw error
      }
    }, patient)
    expect(everything(found)).toBe(shown)
    await found.close()
  })

  it('does not end the process if a query asks for the store of a directory that failed', async () => {
    process.on('unhandledRejection', note)
    const directory = scratchDirectory()
    const cosmos = openDirectory(directory)
    const container = shopIn(cosmos)
    put(container, 'one')
    await cosmos.engine.settled()
    vi.spyOn(WriteAheadLog.prototype, 'append').mockRejectedValue(new Error('ENOSPC'))
    put(container, 'two')
    await expect(cosmos.engine.settled()).rejects.toThrow('could not be written')
    expect(container.journal.applied()).not.toBeNull()
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
    process.off('unhandledRejection', note)
    expect(rejections).toEqual([])
    await cosmos.close().catch(() => undefined)
  })
})

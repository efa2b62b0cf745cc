import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { scratchDirectory } from '../../support/scratch-directory.js'
import {
  everything,
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
})

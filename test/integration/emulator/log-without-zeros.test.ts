import type * as FileSystem from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { emptyGroup } from '../../../src/emulator/durability/journal-entries.js'
import { WriteAheadLog } from '../../../src/emulator/durability/write-ahead-log.js'
import { scratchDirectory } from '../../support/scratch-directory.js'
import { groupsIn } from './dead-directory.js'

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof FileSystem>()
  return {
    ...fs,
    // Some systems refuse a write that does not fit as a whole. 100 KB are free.
    writeSync: (...written: [file: number, buffer: Buffer, from: number, length: number, to: number]) => {
      if (written[3] > 100_000) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })
      return fs.writeSync(...written)
    },
  }
})

it('a log takes a group that fits on the disk, although the zeros after it do not fit', async () => {
  const directory = scratchDirectory()
  const log = new WriteAheadLog(directory, '')
  await log.begin()
  const group = emptyGroup()
  group.entries.set('key', 'value')
  await log.append(group, true)
  await log.append(group, true)
  expect(groupsIn(join(directory, 'writes-1.log')).length).toBe(log.bytes)
  const { record } = log
  log.close()
  expect(new WriteAheadLog(directory, record).logged.group.entries.get('key')).toBe('value')
})

import { expect, it, onTestFinished, vi } from 'vitest'
import { withSettings } from '../../../src/cli/input/store.js'
import { DirectoryInUse } from '../../../src/emulator/durability/directory-lock.js'
import { LmdbJournal } from '../../../src/emulator/durability/lmdb-journal.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

it('a command opens the store although another one had it open a moment ago', async () => {
  const data = scratchDirectory()
  onTestFinished(() => void vi.restoreAllMocks())
  const opening = vi.spyOn(LmdbJournal, 'open').mockImplementationOnce(() => {
    throw new DirectoryInUse(data)
  })
  const used = await withSettings({ data }, async ({ embedded }) => embedded !== undefined)
  expect(used).toBe(true)
  expect(opening).toHaveBeenCalledTimes(2)
})

it('a command does not try again if the directory cannot be used for another reason', async () => {
  const data = scratchDirectory()
  onTestFinished(() => void vi.restoreAllMocks())
  const opening = vi.spyOn(LmdbJournal, 'open').mockImplementation(() => {
    throw new Error('the data directory is damaged')
  })
  await expect(withSettings({ data }, async () => null)).rejects.toThrow('is damaged')
  expect(opening).toHaveBeenCalledTimes(1)
})

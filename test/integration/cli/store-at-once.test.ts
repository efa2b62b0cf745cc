import { expect, it, onTestFinished, vi } from 'vitest'
import { withClient, withSettings } from '../../../src/cli/input/store.js'
import { DirectoryInUse } from '../../../src/emulator/durability/directory-lock.js'
import { LmdbJournal } from '../../../src/emulator/durability/lmdb-journal.js'
import { attachAccount } from '../../../src/emulator/index.js'
import { defineAgent, defineWorkflow } from '../../../src/sas/index.js'
import { deferred } from '../../support/deferred.js'
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

it('a command that is done keeps the store open while another process uses it', async () => {
  const data = scratchDirectory()
  const [opened, done] = [deferred(), deferred()]
  let isClosed = false
  const command = withSettings({ data }, async () => {
    opened.resolve()
    await done.promise
  }).finally(() => (isClosed = true))
  await opened.promise
  const account = await attachAccount(data)
  done.resolve()
  const client = account?.client()
  await client?.databases.create({ id: 'late' })
  expect(isClosed).toBe(false)
  client?.dispose()
  account?.release()
  await command
  expect(await attachAccount(data)).toBeNull()
})

it('commands that use one directory at the same moment all succeed', async () => {
  const data = scratchDirectory()
  const shop = defineAgent('shop', { sell: () => null })
  const flow = defineWorkflow('flow', (job) => void job.step('sell', shop.sell, {}, { undo: 'none' }))
  const numbers = Array.from({ length: 6 }, (_, number) => number)
  const submitted = numbers.map((number) =>
    withSettings({ data }, (settings) =>
      withClient(settings, (client) => client.submit(flow, {}, { jobId: `job-${number}` })),
    ),
  )
  await Promise.all(submitted)
  const jobs = await withSettings({ data }, (settings) =>
    withClient(settings, (client) => client.list({ state: 'Pending' })),
  )
  expect(jobs.map(({ jobId }) => jobId).sort()).toEqual(numbers.map((number) => `job-${number}`))
})

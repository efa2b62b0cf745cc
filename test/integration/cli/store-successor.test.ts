import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { StoreSuccessor } from '../../../src/cli/input/data-directory.js'
import { withStore } from '../../../src/cli/input/store.js'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { attachAccount, isAccountOpen } from '../../../src/emulator/attach/attached-account.js'

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'stepward-successor-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

it('a process that stays opens the store itself when the process that had it open ends (F-X28)', async () => {
  const data = await directory()
  const before = createInProcessCosmos({ dataDirectory: data })
  await before.client().databases.create({ id: 'kept' })
  const run = async (): Promise<readonly string[]> => {
    await before.close()
    await expect.poll(() => isAccountOpen(data), { timeout: 20_000 }).toBe(true)
    const attached = await attachAccount(data)
    const client = attached?.client()
    const { resources = [] } = (await client?.databases.readAll().fetchAll()) ?? {}
    client?.dispose()
    return resources.map(({ id }) => id)
  }
  expect(await withStore({ data }, {}, run, 'self')).toEqual(['kept'])
  expect(await isAccountOpen(data), 'the end of the process closes the store').toBe(false)
})

it('a successor opens nothing while another process has the store open', async () => {
  const data = await directory()
  const looked: boolean[] = []
  const present = createInProcessCosmos({ dataDirectory: data })
  onTestFinished(() => present.close())
  const successor = new StoreSuccessor(data, async () => {
    looked.push(await isAccountOpen(data))
    return true
  })
  successor.start()
  await expect.poll(() => looked.length).toBeGreaterThan(0)
  await successor.end()
  expect(await isAccountOpen(data)).toBe(true)
})

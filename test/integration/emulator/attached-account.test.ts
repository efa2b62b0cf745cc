import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { attachAccount } from '../../../src/emulator/internal.js'
import { createInProcessCosmos, startEmulator } from '../../../src/emulator/index.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

async function attached(dataDirectory: string) {
  const account = await attachAccount(dataDirectory)
  if (account === null) throw new Error('no process has the directory open')
  const client = account.client()
  onTestFinished(() => {
    client.dispose()
  })
  return client
}

it('another process uses an account in process by its data directory, without a key', async () => {
  const dataDirectory = scratchDirectory()
  const cosmos = createInProcessCosmos({ dataDirectory })
  const own = cosmos.client()
  await own.databases.create({ id: 'shop' })
  const other = await attached(dataDirectory)
  expect(await other.database('shop').containers.createIfNotExists({ id: 'items' })).toMatchObject({
    statusCode: 201,
  })
  const items = other.database('shop').container('items')
  await items.items.create({ id: 'a' })
  expect((await own.database('shop').container('items').item('a', undefined).read()).statusCode).toBe(200)
  const hosts = await Promise.all([own, other].map((client) => client.getWriteEndpoint()))
  expect(new URL(hosts[0] ?? '').hostname).toBe(new URL(hosts[1] ?? '').hostname)
  await cosmos.close()
  await expect(items.item('a', undefined).read()).rejects.toMatchObject({ code: /ENOENT|ECONNREFUSED/u })
})

it('another process uses the account of a server, which has its own key, under the address of the server', async () => {
  const dataDirectory = scratchDirectory()
  const key = Buffer.from('another key').toString('base64')
  const emulator = await startEmulator({ dataDirectory, port: 0, key })
  const other = await attached(dataDirectory)
  await other.databases.create({ id: 'shop' })
  expect(emulator.engine.databases.map(({ id }) => id)).toEqual(['shop'])
  expect(new URL(await other.getWriteEndpoint()).host).toBe(new URL(emulator.endpoint).host)
  await emulator.close()
})

it('a directory that no process has open has no account', async () => {
  const directory = scratchDirectory()
  expect(await attachAccount(directory)).toBeNull()
  expect(await attachAccount(join(directory, 'missing'))).toBeNull()
  const long = join(directory, 'a'.repeat(120))
  mkdirSync(long)
  const cosmos = createInProcessCosmos({ dataDirectory: long })
  expect(await attachAccount(long)).toBeNull()
  await cosmos.close()
})

/** Watches the items of a shop, and returns a function that resolves with the next report. */
async function watching(dataDirectory: string) {
  const account = await attachAccount(dataDirectory)
  if (account === null) throw new Error('no process has the directory open')
  const reports: (string | null)[] = []
  let hear = (): void => undefined
  onTestFinished(
    account.watch('shop', 'items', (rangeId) => {
      reports.push(rangeId)
      hear()
    }),
  )
  return async () => {
    while (reports.length === 0) await new Promise<void>((resolve) => (hear = resolve))
    return reports.shift()
  }
}

async function shop(dataDirectory: string) {
  const cosmos = createInProcessCosmos({ dataDirectory })
  const client = cosmos.client()
  const { database } = await client.databases.createIfNotExists({ id: 'shop' })
  const { container: items } = await database.containers.createIfNotExists({ id: 'items' })
  const { container: others } = await database.containers.createIfNotExists({ id: 'others' })
  return { cosmos, items, others }
}

it('an attached process learns of each write to the container, also of one between two requests', async () => {
  const dataDirectory = scratchDirectory()
  const { cosmos, items, others } = await shop(dataDirectory)
  const next = await watching(dataDirectory)
  // The first report comes when the watch begins, because earlier writes may have been missed.
  expect(await next()).toBeNull()
  await others.items.create({ id: 'unwatched' })
  for (const id of ['a', 'b', 'c']) {
    await items.items.create({ id })
    expect(await next()).toBe('0')
  }
  await cosmos.close()
})

it('an attached process is told that it may have missed writes when another process opens the account', async () => {
  const dataDirectory = scratchDirectory()
  const first = await shop(dataDirectory)
  const next = await watching(dataDirectory)
  expect(await next()).toBeNull()
  await first.cosmos.close()
  const second = await shop(dataDirectory)
  expect(await next()).toBeNull()
  await second.items.items.create({ id: 'a' })
  expect(await next()).toBe('0')
  await second.cosmos.close()
})

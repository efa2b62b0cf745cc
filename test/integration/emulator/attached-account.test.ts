import { mkdirSync, realpathSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { attachAccount } from '../../../src/emulator/attach/attached-account.js'
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

it('another process uses the account of a server, which has its own key, under the host name of the server', async () => {
  const dataDirectory = scratchDirectory()
  const key = Buffer.from('another key').toString('base64')
  const emulator = await startEmulator({ dataDirectory, port: 0, key })
  const other = await attached(dataDirectory)
  await other.databases.create({ id: 'shop' })
  expect(emulator.engine.databases.map(({ id }) => id)).toEqual(['shop'])
  expect(new URL(await other.getWriteEndpoint()).hostname).toBe(new URL(emulator.endpoint).hostname)
  await emulator.close()
})

it('a store closes although other processes connect at that moment and leave their connections open', async () => {
  const dataDirectory = scratchDirectory()
  const cosmos = createInProcessCosmos({ dataDirectory })
  const client = cosmos.client()
  await client.databases.create({ id: 'shop' })
  const path = join(realpathSync(dataDirectory), 'in-use.sock')
  const before = await connected(path)
  const closing = cosmos.close()
  const later = await connected(path)
  await closing
  expect(await isEnded(before)).toBe(true)
  expect(await isEnded(later)).toBe(true)
  expect(await attachAccount(dataDirectory)).toBeNull()
})

it('a process that ends while another attaches is as if no process had the directory open', async () => {
  const dataDirectory = scratchDirectory()
  const path = join(realpathSync(dataDirectory), 'in-use.sock')
  // The first connection only asks whether a process answers. The second one asks for the account.
  let connections = 0
  const dying = createServer((socket) => {
    connections += 1
    if (connections > 1) socket.on('data', () => socket.destroy())
  })
  await new Promise<void>((resolve) => {
    dying.listen(path, resolve)
  })
  onTestFinished(() => void dying.close())
  expect(await attachAccount(dataDirectory)).toBeNull()
  expect(connections).toBeGreaterThan(1)
})

it('a process that hangs with the store open counts as lost after ten seconds (F-X28)', async () => {
  const dataDirectory = scratchDirectory()
  const cosmos = createInProcessCosmos({ dataDirectory })
  await cosmos.client().databases.create({ id: 'shop' })
  const account = await attachAccount(dataDirectory)
  await cosmos.close()
  // The system accepts connections for a process that hangs.
  const accepted: Socket[] = []
  const silent = createServer((socket) => void accepted.push(socket))
  onTestFinished(() => {
    for (const socket of accepted) socket.destroy()
    silent.close()
  })
  await new Promise<void>((resolve) => {
    silent.listen(join(realpathSync(dataDirectory), 'in-use.sock'), resolve)
  })
  if (account === null) throw new Error('no process has the directory open')
  const asked = [account.dial('stepward-door/0', {}), attachAccount(dataDirectory)]
  const reasons = await Promise.allSettled(asked)
  const silence = 'the process that has the store open has not answered for 10000 ms'
  expect(reasons.map((each) => (each.status === 'rejected' ? String(each.reason) : each.status))).toEqual([
    `StoreSilent: ${silence}`,
    `StoreSilent: ${silence}`,
  ])
}, 30_000)

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    onTestFinished(() => void socket.destroy())
    socket.on('connect', () => resolve(socket))
    socket.on('error', reject)
  })
}

function isEnded(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    if (socket.closed) resolve(true)
    socket.on('close', () => resolve(true))
    socket.resume()
  })
}

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

import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { StoreSuccessor, watchedDirectory, type StoreHolding } from '../../../src/cli/input/data-directory.js'
import { withStore } from '../../../src/cli/input/store.js'
import type { Container, CosmosClient } from '@azure/cosmos'
import { ChangeFeedProcessor } from '../../../src/change-feed-processor/index.js'
import { createInProcessCosmos, startEmulator } from '../../../src/emulator/index.js'
import { VirtualClock } from '../../../src/platform/index.js'
import { lockDirectory } from '../../../src/emulator/durability/directory-lock.js'
import { accountClosed, attachAccount, isAccountOpen } from '../../../src/emulator/attach/attached-account.js'

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'stepward-successor-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

/** A successor that looks at the process as a worker does. `looks` has what each look found. */
function aSuccessor(data: string, holding: Partial<StoreHolding> = {}) {
  const looks: boolean[] = []
  const successor = new StoreSuccessor(data, {
    isOpen: async () => {
      looks.push(await isAccountOpen(data))
      return looks.at(-1) === true
    },
    closed: (signal) => accountClosed(data, signal),
    ...holding,
  })
  successor.start()
  onTestFinished(() => successor.end())
  return { successor, looks }
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

/** Runs a processor until it has its leases, as a worker with this client does. */
async function runProcessor(client: CosmosClient): Promise<void> {
  const { database } = await client.databases.createIfNotExists({ id: 'db' })
  const containerNamed = async (id: string): Promise<Container> =>
    (await database.containers.createIfNotExists({ id, partitionKey: '/id', defaultTtl: -1 })).container
  await using processor = new ChangeFeedProcessor({
    monitoredContainer: await containerNamed('orders'),
    leaseContainer: await containerNamed('leases'),
    processorName: 'orders',
    instanceName: 'one',
    onChanges: () => undefined,
  })
  await processor.start()
}

it('all processes that open a directory or attach to it share one set of leases, whatever had it open before', async () => {
  const data = await directory()
  const withoutServer = createInProcessCosmos({ dataDirectory: data })
  const inProcess = withoutServer.client()
  await runProcessor(inProcess)
  await expect.poll(() => isAccountOpen(data)).toBe(true)
  const attached = (await attachAccount(data))?.client() ?? expect.fail('the directory is not open')
  await runProcessor(attached)
  await withoutServer.close()

  const emulator = await startEmulator({ dataDirectory: data, port: 0 })
  onTestFinished(() => emulator.close())
  const overTheNetwork = emulator.client()
  await runProcessor(overTheNetwork)
  const attachedToServer = (await attachAccount(data))?.client() ?? expect.fail('the directory is not open')
  await runProcessor(attachedToServer)

  const { resources } = await overTheNetwork
    .database('db')
    .container('leases')
    .items.query<string>('SELECT VALUE c.id FROM c WHERE ENDSWITH(c.id, ".info")')
    .fetchAll()
  expect(resources).toHaveLength(1)
  for (const client of [inProcess, attached, overTheNetwork, attachedToServer]) client.dispose()
})

it('a successor waits at one connection while another process has the store open', async () => {
  const data = await directory()
  const present = createInProcessCosmos({ dataDirectory: data })
  onTestFinished(() => present.close())
  await expect.poll(() => isAccountOpen(data)).toBe(true)
  let waits = 0
  const { successor, looks } = aSuccessor(data, {
    closed: (signal) => {
      waits += 1
      return accountClosed(data, signal)
    },
  })
  await expect.poll(() => waits).toBe(1)
  // Later than any other look.
  await present.client().databases.create({ id: 'd' })
  await successor.end()
  expect([looks, waits]).toEqual([[true], 1])
  expect(await isAccountOpen(data)).toBe(true)
})

it('a successor leaves a directory alone that was removed meanwhile', async () => {
  const data = join(await directory(), 'data')
  const before = createInProcessCosmos({ dataDirectory: data })
  await before.client().databases.create({ id: 'removed' })
  const { successor, looks } = aSuccessor(data)
  await expect.poll(() => looks.length).toBe(1)
  await before.close()
  await rm(data, { recursive: true })
  await expect.poll(() => looks.at(-1)).toBe(false)
  await successor.end()
  expect(existsSync(data)).toBe(false)
})

it('a successor says once why it cannot open the store', async () => {
  const data = await directory()
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined)
  onTestFinished(() => warned.mockRestore())
  await writeFile(join(data, 'data.mdb'), 'damaged'.repeat(5_000))
  const { looks } = aSuccessor(data)
  await expect.poll(() => looks.length, { timeout: 10_000 }).toBe(3)
  expect(warned.mock.calls).toEqual([[expect.stringContaining(`--data ${data} cannot be opened: `)]])
})

it('a process warns that the directory of its store was moved away, and not before', async () => {
  const data = join(await directory(), 'data')
  const store = createInProcessCosmos({ dataDirectory: data })
  onTestFinished(() => store.close())
  await store.client().databases.create({ id: 'kept' })
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined)
  onTestFinished(() => warned.mockRestore())
  const clock = new VirtualClock()
  const watch = watchedDirectory(data, clock)
  await clock.advance(60_000)
  expect(warned).not.toHaveBeenCalled()
  await rename(data, `${data}-before`)
  await mkdir(data)
  await writeFile(join(data, 'data.mdb'), 'of another store')
  await clock.advance(60_000)
  expect(warned.mock.calls).toEqual([
    [expect.stringContaining(`--data ${data} was moved, removed or replaced: `)],
  ])
  await watch.stop()
})

// A paused process takes no connections, and the system refuses further ones with EAGAIN.
it.skipIf(process.platform !== 'linux')(
  'a process that is paused for long still has its store open',
  async () => {
    const data = await directory()
    const program = `import('node:net').then(({ createServer }) => createServer().listen(${JSON.stringify(join(data, 'in-use.sock'))}, () => console.log('listens')))`
    const holder = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    const waiting: Socket[] = []
    onTestFinished(() => {
      for (const socket of waiting) socket.destroy()
      holder.kill('SIGKILL')
    })
    await once(holder.stdout, 'data')
    holder.kill('SIGSTOP')
    const fill = async (): Promise<string> => {
      for (;;) {
        const socket = connect(join(data, 'in-use.sock'))
        waiting.push(socket)
        const ended = await Promise.race([once(socket, 'connect'), once(socket, 'error')]).catch(
          (error: unknown) => error,
        )
        if (ended instanceof Error) return (ended as NodeJS.ErrnoException).code ?? ''
      }
    }
    expect(await fill()).toBe('EAGAIN')
    expect(await isAccountOpen(data)).toBe(true)
    await expect(lockDirectory(data)).rejects.toThrow('is in use')
    expect(existsSync(join(data, 'in-use.sock'))).toBe(true)
  },
)

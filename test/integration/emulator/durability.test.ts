import { spawn, type ChildProcess } from 'node:child_process'
import { execPath } from 'node:process'
import { createInterface } from 'node:readline'
import { open as openStore } from 'lmdb'
import { beforeEach, describe, expect, it } from 'vitest'
import { createInProcessCosmos, startEmulator, type InProcessCosmos } from '../../../src/emulator/index.js'
import { DirectoryInUse } from '../../../src/emulator/durability/directory-lock.js'
import { readChanges } from '../../../src/emulator/engine/index.js'
import { compiledScript } from './compiled-sources.js'
import type { Acknowledged } from './durable-writer.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

describe('a data directory', () => {
  const script = compiledScript('durable-writer.ts')
  let dataDirectory: string

  beforeEach(() => {
    dataDirectory = scratchDirectory()
  })

  function writer(firstRound: number): ChildProcess {
    return spawn(execPath, [script(), dataDirectory, String(firstRound)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  }

  /** Kills a writer after `count` acknowledged writes, and returns all that it acknowledged. */
  async function killedAfter(count: number, firstRound: number): Promise<Acknowledged[]> {
    const child = writer(firstRound)
    const acknowledged: Acknowledged[] = []
    if (child.stdout === null) throw new Error('the writer has no output')
    for await (const line of createInterface({ input: child.stdout })) {
      const said = JSON.parse(line) as Acknowledged | { failed: string }
      if ('failed' in said) throw new Error(said.failed)
      acknowledged.push(said)
      if (acknowledged.length === count) child.kill('SIGKILL')
    }
    return acknowledged
  }

  it('keeps every acknowledged write when its process is killed, and gives no LSN twice', async () => {
    const acknowledged: Acknowledged[] = []
    const contentOf = new Map<string, string>()
    for (const [life, count] of [300, 57, 900].entries()) {
      const lines = await killedAfter(count, life * 100_000)
      acknowledged.push(...lines)
      for (const { id, round, rangeId, lsn } of lines) {
        const place = `${rangeId}/${lsn}`
        expect(contentOf.get(place) ?? `${id}@${round}`).toBe(`${id}@${round}`)
        contentOf.set(place, `${id}@${round}`)
      }
      const cosmos = createInProcessCosmos({ dataDirectory })
      assertNothingLost(cosmos, acknowledged)
      await cosmos.close()
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(1_257)
  })

  function assertNothingLost(cosmos: InProcessCosmos, acknowledged: readonly Acknowledged[]): void {
    const container = cosmos.engine.container('shop', 'orders')
    const last = new Map<string, Acknowledged>()
    for (const line of acknowledged) {
      const id = line.id.split('/')[0] ?? ''
      if (line.lsn > (last.get(id)?.lsn ?? 0)) last.set(id, line)
    }
    for (const [id, { lsn }] of last) {
      const { version } = container.execute([id], { kind: 'read', id })
      expect(version?.lsn).toBeGreaterThanOrEqual(lsn)
    }
    for (const partition of container.partitions) {
      const page = readChanges(container, partition, { start: { kind: 'beginning' }, maxItemCount: 1_000 })
      const lsns = page.versions.map((version) => version.lsn)
      expect(lsns).toEqual([...lsns].sort((a, b) => a - b))
      expect(partition.lsn).toBeGreaterThanOrEqual(lsns.at(-1) ?? 0)
    }
  }

  it('is refused to a second process until the first has ended, even by a kill', async () => {
    const child = writer(0)
    if (child.stdout === null) throw new Error('the writer has no output')
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    await lines.next()
    const open = () => createInProcessCosmos({ dataDirectory })
    expect(open).toThrow(DirectoryInUse)
    // While the other process writes, the check of the file may see that it changes, and does not know the process.
    expect(open).toThrow(
      new RegExp(`in use by (process ${child.pid ?? ''}|another emulator)\\. Stop that one`),
    )
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
    await createInProcessCosmos({ dataDirectory }).close()
  })

  it('is refused if newer code wrote it', async () => {
    const store = openStore<string, string>({
      path: dataDirectory,
      encoding: 'string',
      overlappingSync: false,
    })
    await store.put('format', '9')
    await store.close()
    expect(() => createInProcessCosmos({ dataDirectory })).toThrow(
      'has format 9; this version reads format 8',
    )
  })

  it('is refused to a second emulator in the same process', async () => {
    const first = createInProcessCosmos({ dataDirectory })
    expect(() => createInProcessCosmos({ dataDirectory })).toThrow('open in this process already')
    await first.close()
    await createInProcessCosmos({ dataDirectory }).close()
  })

  it('restores databases, containers, ranges, documents and positions over HTTP', async () => {
    const before = await startEmulator({ port: 0, dataDirectory, partitionCount: 2 })
    const { database } = await before.client().databases.create({ id: 'shop' })
    const definition = { id: 'orders', partitionKey: '/pk', defaultTtl: 1_000 }
    const { container } = await database.containers.create(definition)
    await database.containers.create({ id: 'dropped', partitionKey: '/pk' })
    const dropped = (await database.container('dropped').read()).resource?._rid
    await database.container('dropped').items.create({ id: 'x', pk: 'x' })
    await database.container('dropped').delete()
    for (let index = 0; index < 30; index += 1)
      await container.items.create({ id: `o${index}`, pk: `k${index}` })
    await container.item('o3', 'k3').delete()
    before.engine.container('shop', 'orders').splitPartition('0')
    const shown = await everything(before)
    await before.close()

    const after = await startEmulator({ port: 0, dataDirectory })
    expect(await everything(after)).toEqual(shown)
    const created = await after
      .client()
      .database('shop')
      .container('orders')
      .items.create({ id: 'new', pk: 'k3' })
    expect(JSON.stringify(shown)).not.toContain(created.resource?._rid)
    const { resource } = await after
      .client()
      .database('shop')
      .containers.create({ id: 'dropped', partitionKey: '/pk' })
    expect(resource?._rid).not.toBe(dropped)
    expect(
      (await after.client().database('shop').container('dropped').items.readAll().fetchAll()).resources,
    ).toEqual([])
    await after.close()
    expect((await keptKeys()).filter((key) => key.includes(String(dropped)))).toEqual([])
  })

  async function keptKeys(): Promise<readonly string[]> {
    const store = openStore<string, string>({ path: dataDirectory, encoding: 'string' })
    const keys = [...store.getKeys()]
    await store.close()
    return keys
  }

  async function everything(emulator: Awaited<ReturnType<typeof startEmulator>>): Promise<unknown> {
    const container = emulator.client().database('shop').container('orders')
    const iterator = container.items.getChangeFeedIterator({ maxItemCount: 100 })
    const changes: unknown[] = []
    let page = await iterator.readNext()
    while (page.statusCode !== 304) {
      changes.push(page.result)
      page = await iterator.readNext()
    }
    const containers = (await emulator.client().database('shop').containers.readAll().fetchAll()).resources
    const ranges = (await container.readPartitionKeyRanges().fetchAll()).resources
    const items = (await container.items.readAll().fetchAll()).resources
    return { changes, containers, ranges, items }
  }
})

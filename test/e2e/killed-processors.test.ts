import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CosmosClient, type Container } from '@azure/cosmos'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { WorkerLine } from './feed-worker.js'
import { start, startEmulatorProcess, type Running } from './processes.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const partitionCount = 4
let directory: string

beforeAll(() => {
  // Inside the package, so that its own name resolves to what was built.
  mkdirSync(join(root, '.stepward'), { recursive: true })
  directory = mkdtempSync(join(root, '.stepward', 'worker-'))
  const source = readFileSync(new URL('feed-worker.ts', import.meta.url), 'utf8')
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  })
  writeFileSync(join(directory, 'feed-worker.mjs'), outputText)
})

afterAll(() => {
  rmSync(directory, { recursive: true })
})

interface Shop {
  readonly orders: Container
  readonly leases: Container
  readonly worker: (name: string) => Running
}

/** Starts an emulator in its own process. Each instance gets its own process as well. */
async function aShop(): Promise<Shop> {
  const { endpoint, env } = await startEmulatorProcess([
    '--port',
    '0',
    '--partitions',
    String(partitionCount),
  ])
  const client = new CosmosClient({ endpoint, key: env['COSMOS_KEY'] ?? '' })
  onTestFinished(() => client.dispose())
  const { database } = await client.databases.create({ id: 'shop' })
  const [{ container: orders }, { container: leases }] = await Promise.all([
    database.containers.create({ id: 'orders', partitionKey: '/pk' }),
    database.containers.create({ id: 'leases', partitionKey: '/id', defaultTtl: -1 }),
  ])
  return { orders, leases, worker: (name) => start(join(directory, 'feed-worker.mjs'), [name], env) }
}

/** Writes the orders from `from` up to `to`. Returns their ids as they appear in the output of a worker. */
async function write(orders: Container, from: number, to: number): Promise<readonly string[]> {
  const ids = Array.from({ length: to - from }, (_, index) => `o-${from + index}`)
  for (const id of ids) await orders.items.create({ id, pk: id })
  return ids
}

/** Resolves when each of these was delivered by one of the workers. */
async function delivered(ids: readonly string[], workers: readonly Running[]): Promise<void> {
  await Promise.all(ids.map((id) => Promise.any(workers.map((worker) => worker.line(`"${id}"`)))))
}

/** Resolves when the worker has acquired every lease. */
function ownAll(worker: Running): Promise<string> {
  return worker.line('"acquired"', partitionCount)
}

function said(worker: Running): WorkerLine[] {
  return worker.heard.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as WorkerLine)
}

describe('an instance of the change feed processor', () => {
  it('loses no change when it is killed: another continues from its checkpoints (F-L13, F-L30)', async () => {
    const { orders, worker } = await aShop()
    const victim = worker('victim')
    await ownAll(victim)
    const before = await write(orders, 0, 60)
    await victim.line(`"${before[20] ?? ''}"`)
    await victim.kill('SIGKILL')
    const heir = worker('heir')
    const after = await write(orders, 60, 90)
    await delivered([...before, ...after], [victim, heir])
    expect(said(heir).filter((line) => 'acquired' in line)).toHaveLength(partitionCount)
  })

  it('delivers nothing from lost leases after a freeze beyond their expiration (F-L7, F-L11)', async () => {
    const { orders, worker } = await aShop()
    const frozen = worker('frozen')
    await ownAll(frozen)
    const before = await write(orders, 0, 40)
    // A call of the delegate that began before the freeze may rightly end after it.
    await delivered(before, [frozen])
    frozen.signal('SIGSTOP')
    const heir = worker('heir')
    const during = await write(orders, 40, 80)
    await ownAll(heir)
    await delivered(during, [heir])
    const continuedAt = Date.now()
    frozen.signal('SIGCONT')
    const after = await write(orders, 80, 120)
    await frozen.line('"LeaseLost"', partitionCount)
    await delivered([...before, ...during, ...after], [frozen, heir])

    // The instance delivers only from leases that it has acquired again.
    const own = new Set<string>()
    for (const line of said(frozen).filter(({ at }) => at >= continuedAt)) {
      if ('acquired' in line) own.add(line.acquired)
      if ('released' in line) own.delete(line.released)
      if ('delivered' in line) expect(own, JSON.stringify(line)).toContain(line.lease)
    }
  })

  it('releases its leases on SIGTERM, and the next instance repeats no change (F-L18)', async () => {
    const { orders, leases, worker } = await aShop()
    const leaving = worker('leaving')
    await ownAll(leaving)
    const before = await write(orders, 0, 40)
    await leaving.line(`"${before[20] ?? ''}"`)
    const ended = await leaving.kill('SIGTERM')
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    const reasons = said(leaving).flatMap((line) => ('released' in line ? [line.reason] : []))
    expect(reasons).toEqual(Array.from({ length: partitionCount }, () => 'Shutdown'))
    const { resources } = await leases.items
      .query<{ Owner: string | null }>('SELECT * FROM c WHERE IS_DEFINED(c.LeaseToken)')
      .fetchAll()
    expect(resources.map(({ Owner }) => Owner)).toEqual(Array.from({ length: partitionCount }, () => null))

    const next = worker('next')
    await delivered(before, [leaving, next])
    const twice = said(next).flatMap((line) => ('delivered' in line ? line.delivered : []))
    const first = new Set(said(leaving).flatMap((line) => ('delivered' in line ? line.delivered : [])))
    expect(twice.filter((id) => first.has(id))).toEqual([])
  })
})

import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { open as openStore } from 'lmdb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { scan, type Container } from '../../../src/emulator/engine/index.js'
import { GroupWriter } from '../../../src/emulator/durability/group-writer.js'
import { seededRandom } from '../../../src/platform/index.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

const logs = /^writes-\d+\.log$/u

function logsIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => logs.test(name))
}

/** Copies what is on disk when the process dies. */
function snapshot(directory: string): string {
  const copy = scratchDirectory()
  for (const name of ['data.mdb', ...logsIn(directory)]) cpSync(join(directory, name), join(copy, name))
  return copy
}

function open(dataDirectory: string, memoryBytes = 0): InProcessCosmos {
  return createInProcessCosmos({ dataDirectory, memoryBytes, partitionCount: 2 })
}

/** A hash of everything that a client can learn of a store. */
function everything({ engine }: InProcessCosmos): string {
  const containers = engine.databases
    .flatMap((database) => [...database.containersById.values()])
    .sort((one, other) => one.id.localeCompare(other.id))
  const shown = JSON.stringify(
    containers.map((container) => ({
      id: container.id,
      definition: container.definition.body,
      count: container.documentCount,
      bytes: container.documentBytes,
      numbers: container.lastDocumentNumber,
      documents: [...scan(container)].map((version) => version.toJSON()),
      feeds: container.partitions.map(({ id, lsn, changes }) => [
        id,
        lsn,
        [...changes.after(0)].map((version) => [version.id, version.sequence]),
      ]),
      history: container.history === null ? null : [...container.partitions].map(({ lsn }) => lsn),
    })),
  )
  return createHash('sha256').update(shown).digest('hex')
}

/** Returns the keys of a closed directory that belong to containers that do not exist any more. */
async function leftovers(directory: string): Promise<readonly string[]> {
  const store = openStore<string, string>({ path: directory, encoding: 'string' })
  const keys = [...store.getKeys()]
  await store.close()
  const existing = new Set(keys.filter((key) => key.startsWith('container/')).map((key) => key.split('/')[1]))
  const inContainers = /^(?:document|by-id|by-lsn|by-expiry|summary|template|partition|history)\//u
  return keys.filter((key) => inContainers.test(key) && !existing.has(key.split('/')[1]))
}

async function shownAfterStart(directory: string): Promise<string> {
  const cosmos = open(directory)
  try {
    return everything(cosmos)
  } finally {
    await cosmos.close()
  }
}

/** Does one random thing to a store. */
function change({ engine }: InProcessCosmos, random: () => number, step: number): void {
  const shop = engine.databaseNamed('shop') ?? engine.createDatabase('shop')
  const pick = (count: number): number => Math.floor(random() * count)
  const name = `c${pick(3)}`
  const existing = shop.container(name)
  if (existing === undefined) {
    engine.createContainer('shop', {
      id: name,
      partitionKey: { paths: ['/pk'] },
      defaultTtl: -1,
      ...(name === 'c2' ? { uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/unique'] }] } } : {}),
    })
    return
  }
  const kind = pick(60)
  if (kind === 0) engine.deleteContainer('shop', name)
  else if (kind === 1 && existing.partitions.length < 5)
    existing.splitPartition(existing.partitions[0]?.id ?? '')
  else if (kind === 2) redefine(existing, step)
  else write(existing, pick, step)
}

function redefine(container: Container, step: number): void {
  container.redefine({
    ...container.definition,
    body: { ...container.definition.body, defaultTtl: 10_000 + step },
    defaultTtl: 10_000 + step,
  })
}

function write(container: Container, pick: (count: number) => number, step: number): void {
  const pk = `k${pick(7)}`
  const id = `d${pick(12)}`
  const document = { id, pk, unique: `${pk} ${id}`, step, text: 'ü\n€x'.repeat(pick(200)) }
  if (pick(4) > 0) container.execute([pk], { kind: 'upsert', document })
  else if (container.find([pk], id) !== undefined) container.execute([pk], { kind: 'delete', id })
}

describe('a data directory whose process dies', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it.each([1, 2])('has every acknowledged change, whichever log or store has it (seed %i)', async (seed) => {
    const random = seededRandom(seed)
    const directory = scratchDirectory()
    const cosmos = open(directory)
    const died: { readonly copy: string; readonly shown: string }[] = []
    for (let step = 0; step < 160; step += 1) {
      change(cosmos, () => random.next(), step)
      if (random.next() < 0.3) await cosmos.engine.settled()
      if (random.next() < 0.03) await moved(cosmos, directory, died)
      if (random.next() > 0.06) continue
      await cosmos.engine.settled()
      died.push({ copy: snapshot(directory), shown: everything(cosmos) })
    }
    const shown = everything(cosmos)
    await cosmos.close()
    expect(logsIn(directory)).toEqual([])
    expect(await shownAfterStart(directory)).toBe(shown)
    expect(died.length).toBeGreaterThan(15)
    for (const [index, { copy, shown: expected }] of died.entries()) {
      expect(await shownAfterStart(copy)).toBe(expected)
      // The process before has moved the changes to the store.
      if (index % 4 === 0) expect(await shownAfterStart(copy)).toBe(expected)
      expect(await leftovers(copy)).toEqual([])
    }
  })

  /** Moves all changes to the store, and copies the directory before each transaction of the store and after it. */
  async function moved(
    cosmos: InProcessCosmos,
    directory: string,
    died: { readonly copy: string; readonly shown: string }[],
  ): Promise<void> {
    await cosmos.engine.settled()
    const shown = everything(cosmos)
    const original = Reflect.get(GroupWriter.prototype, 'write')
    const spy = vi.spyOn(GroupWriter.prototype, 'write').mockImplementation(async function (
      this: GroupWriter,
      ...given
    ) {
      died.push({ copy: snapshot(directory), shown })
      await original.apply(this, given)
      died.push({ copy: snapshot(directory), shown })
    })
    await cosmos.engine.applied()
    spy.mockRestore()
  }

  it('goes on in the log that it left, and in the next process', async () => {
    const random = seededRandom(5)
    const first = scratchDirectory()
    const cosmos = open(first)
    for (let step = 0; step < 40; step += 1) change(cosmos, () => random.next(), step)
    await cosmos.engine.settled()
    let directory = snapshot(first)
    await cosmos.close()
    for (let life = 0; life < 4; life += 1) {
      const next = open(directory)
      for (let step = 0; step < 10; step += 1) change(next, () => random.next(), step)
      await next.engine.settled()
      const shown = everything(next)
      directory = snapshot(directory)
      await next.close()
      expect(await shownAfterStart(snapshot(directory))).toBe(shown)
    }
  })

  /** Returns a directory whose process has died, and what it showed after each group of changes. */
  async function grown(): Promise<{
    readonly directory: string
    readonly log: string
    readonly shown: string[]
  }> {
    const original = scratchDirectory()
    const cosmos = open(original)
    cosmos.engine.createDatabase('shop')
    const container = cosmos.engine.createContainer('shop', { id: 'c0', partitionKey: { paths: ['/pk'] } })
    const shown: string[] = []
    for (let step = 0; step < 6; step += 1) {
      container.execute(['k'], { kind: 'upsert', document: { id: `d${step % 4}`, pk: 'k', step } })
      await cosmos.engine.settled()
      shown.push(everything(cosmos))
    }
    const directory = snapshot(original)
    await cosmos.close()
    return { directory, log: join(directory, logsIn(directory)[0] ?? ''), shown }
  }

  it('has a whole number of groups if its last log is cut short at any byte', async () => {
    const { directory, log, shown } = await grown()
    const { length } = readFileSync(log)
    const found = new Set<number>()
    for (let bytes = length; bytes > length - 700; bytes -= 7) {
      const copy = snapshot(directory)
      truncateSync(join(copy, 'writes-1.log'), bytes)
      found.add(shown.indexOf(await shownAfterStart(copy)))
    }
    expect(found.has(-1)).toBe(false)
    expect(found.has(shown.length - 1)).toBe(true)
    expect(found.size).toBeGreaterThan(1)
  })

  it('takes new changes after the place where its log was cut short', async () => {
    const { directory, log, shown } = await grown()
    truncateSync(log, readFileSync(log).length - 3)
    const cosmos = open(directory)
    expect(everything(cosmos)).toBe(shown.at(-2))
    cosmos.engine
      .container('shop', 'c0')
      .execute(['k'], { kind: 'upsert', document: { id: 'after', pk: 'k' } })
    await cosmos.engine.settled()
    const later = everything(cosmos)
    const copy = snapshot(directory)
    await cosmos.close()
    expect(await shownAfterStart(copy)).toBe(later)
  })

  it('is refused if a log is altered before its last group, or missing', async () => {
    const { directory, log, shown } = await grown()
    const bytes = readFileSync(log)
    const altered = Buffer.from(bytes)
    const at = bytes.indexOf('"step":1')
    altered.write('"step":7', at)
    writeFileSync(log, altered)
    expect(() => open(directory)).toThrow(/writes-1\.log is damaged \(at byte \d+\): put a back-up/u)
    // The refusal changes nothing.
    writeFileSync(log, bytes)
    expect(await shownAfterStart(snapshot(directory))).toBe(shown.at(-1))
    rmSync(log)
    expect(() => open(directory)).toThrow('writes-1.log is missing: put a back-up')
  })
})

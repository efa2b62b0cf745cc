import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { InProcessCosmos } from '../../../src/emulator/index.js'
import { deleteKey, type Container } from '../../../src/emulator/engine/index.js'
import { GroupWriter } from '../../../src/emulator/durability/group-writer.js'
import { seededRandom, VirtualClock } from '../../../src/platform/index.js'
import { scratchDirectory } from '../../support/scratch-directory.js'
import {
  everything,
  groupsIn,
  leftovers,
  logsIn,
  openDirectory,
  put,
  shopIn,
  shownAfterStart,
  snapshot,
} from './dead-directory.js'

/** Does one random thing to a store. */
function change({ engine }: InProcessCosmos, random: () => number, step: number): void {
  const shop = engine.databaseNamed('shop') ?? engine.createDatabase('shop')
  const pick = (count: number): number => Math.floor(random() * count)
  const name = `c${pick(4)}`
  const existing = shop.container(name)
  if (existing === undefined) {
    engine.createContainer('shop', {
      id: name,
      partitionKey: { paths: ['/pk'] },
      defaultTtl: -1,
      ...(name === 'c2' ? { uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/unique'] }] } } : {}),
      ...(name === 'c3' ? { changeFeedPolicy: { retentionDuration: 10 } } : {}),
    })
    return
  }
  const [first, second] = existing.partitions
  const kind = pick(60)
  if (kind === 0) engine.deleteContainer('shop', name)
  else if (kind === 1 && existing.partitions.length < 5) existing.splitPartition(first?.id ?? '')
  else if (kind === 2) redefine(existing, step)
  else if (kind === 3 && second !== undefined) existing.mergePartitions([first?.id ?? '', second.id])
  else if (kind === 4) changeUsers(engine, shop.rid, step)
  else if (kind === 5) deleteKey(existing, [`k${pick(7)}`])
  else if (kind === 6 && pick(4) === 0) engine.deleteDatabase('shop')
  else write(existing, pick, step)
}

function redefine(container: Container, step: number): void {
  const defaultTtl = step % 2 === 0 ? 10_000 + step : 10
  container.redefine({
    ...container.definition,
    body: { ...container.definition.body, defaultTtl },
    defaultTtl,
  })
}

function changeUsers({ users, permissions }: InProcessCosmos['engine'], rid: string, step: number): void {
  const user = users.of(rid)[0] ?? users.create(rid, { id: `u${step}` })
  const [old] = permissions.of(user.rid)
  if (old !== undefined && step % 2 === 0) permissions.delete(old)
  const rest = { resource: 'dbs/shop/colls/c1', containerRid: rid, documentId: null, partitionKey: null }
  permissions.create(user.rid, { id: `p${step}`, permissionMode: 'Read', ...rest })
}

function write(container: Container, pick: (count: number) => number, step: number): void {
  const pk = `k${pick(7)}`
  const id = `d${pick(12)}`
  const ttl = pick(3) === 0 ? { ttl: 1 + pick(30) } : {}
  const document = { id, pk, unique: `${pk} ${id}`, step, text: 'ü\n€x'.repeat(pick(200)), ...ttl }
  if (pick(4) > 0) container.execute([pk], { kind: 'upsert', document })
  else if (container.find([pk], id) !== undefined) container.execute([pk], { kind: 'delete', id })
}

/** A directory of a process that died, with what it showed and when. */
interface Died {
  readonly copy: string
  readonly shown: string
  readonly at: number
}

describe('a data directory whose process dies', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it.each([1, 2, 32])(
    'has every acknowledged change, whichever log or store has it (seed %i)',
    async (seed) => {
      const random = seededRandom(seed)
      const clock = new VirtualClock()
      const directory = scratchDirectory()
      const cosmos = openDirectory(directory, clock)
      const died: Died[] = []
      for (let step = 0; step < 160; step += 1) {
        change(cosmos, () => random.next(), step)
        if (random.next() < 0.3) await cosmos.engine.settled()
        if (random.next() < 0.05) await clock.advance(4_000)
        if (random.next() < 0.03) await moved(cosmos, directory, died)
        if (random.next() > 0.06) continue
        await cosmos.engine.settled()
        died.push({ copy: snapshot(directory), shown: everything(cosmos), at: clock.now() })
      }
      const shown = everything(cosmos)
      await cosmos.close()
      expect(logsIn(directory)).toEqual([])
      expect(await shownAfterStart(directory, clock)).toBe(shown)
      expect(died.length).toBeGreaterThan(5)
      for (const [index, { copy, shown: expected, at }] of died.entries()) {
        const then = new VirtualClock(at)
        expect(await shownAfterStart(copy, then)).toBe(expected)
        // The process before has moved the changes to the store.
        if (index % 4 === 0) expect(await shownAfterStart(copy, then)).toBe(expected)
        expect(await leftovers(copy)).toEqual([])
      }
    },
  )

  /** Moves all changes to the store, and copies the directory before each transaction of the store and after it. */
  async function moved(cosmos: InProcessCosmos, directory: string, died: Died[]): Promise<void> {
    await cosmos.engine.settled()
    const shown = everything(cosmos)
    const at = cosmos.engine.now()
    const original = Reflect.get(GroupWriter.prototype, 'write')
    const spy = vi.spyOn(GroupWriter.prototype, 'write').mockImplementation(async function (
      this: GroupWriter,
      ...given
    ) {
      died.push({ copy: snapshot(directory), shown, at })
      await original.apply(this, given)
      died.push({ copy: snapshot(directory), shown, at })
    })
    await cosmos.engine.applied()
    spy.mockRestore()
  }

  it('goes on in the log that it left, and in the next process', async () => {
    const random = seededRandom(5)
    const first = scratchDirectory()
    const cosmos = openDirectory(first)
    for (let step = 0; step < 40; step += 1) change(cosmos, () => random.next(), step)
    await cosmos.engine.settled()
    let directory = snapshot(first)
    await cosmos.close()
    for (let life = 0; life < 4; life += 1) {
      const next = openDirectory(directory)
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
    const cosmos = openDirectory(original)
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
    const { length } = groupsIn(log)
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

  it('overwrites zeros with small groups, so that their flushes record no new length', async () => {
    const directory = scratchDirectory()
    const cosmos = openDirectory(directory)
    const log = join(directory, 'writes-1.log')
    const container = shopIn(cosmos)
    const lengths = new Set<number>()
    for (let step = 0; step < 20; step += 1) {
      put(container, `small-${step}`)
      await cosmos.engine.settled()
      lengths.add(statSync(log).size)
      expect(groupsIn(log).length).toBeLessThan(statSync(log).size)
    }
    expect(lengths.size).toBe(1)
    put(container, 'large', 'x'.repeat(400_000))
    await cosmos.engine.settled()
    expect(groupsIn(log).length).toBe(statSync(log).size)
    put(container, 'small again')
    await cosmos.engine.settled()
    expect(groupsIn(log).length).toBeLessThan(statSync(log).size)
    const shown = everything(cosmos)
    const copy = snapshot(directory)
    await cosmos.close()
    expect(await shownAfterStart(copy)).toBe(shown)
  })

  it('has all groups if zeros after them are cut short at any byte', async () => {
    const { directory, log, shown } = await grown()
    const { length } = groupsIn(log)
    for (const bytes of [0, 1, 7, 8, 512, 4_096, 100_000]) {
      const copy = snapshot(directory)
      truncateSync(join(copy, 'writes-1.log'), length + bytes)
      expect(await shownAfterStart(copy)).toBe(shown.at(-1))
    }
  })

  it('takes new changes after the place where its log was cut short', async () => {
    const { directory, log, shown } = await grown()
    truncateSync(log, groupsIn(log).length - 3)
    const cosmos = openDirectory(directory)
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
    expect(() => openDirectory(directory)).toThrow(/writes-1\.log is damaged \(at byte \d+\): put a back-up/u)
    // The refusal changes nothing.
    writeFileSync(log, bytes)
    expect(await shownAfterStart(snapshot(directory))).toBe(shown.at(-1))
    rmSync(log)
    expect(() => openDirectory(directory)).toThrow('writes-1.log is missing: put a back-up')
  })
})

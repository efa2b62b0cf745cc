import { cpSync, readdirSync } from 'node:fs'
import { open as openStore } from 'lmdb'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { seededRandom, systemClock, type Clock } from '../../../src/platform/index.js'
import { KeptSummaries } from '../../../src/emulator/indexes/summaries/kept-summaries.js'
import { scan } from '../../../src/emulator/engine/index.js'
import { StoredDocuments } from '../../../src/emulator/durability/stored-documents.js'
import { scratchDirectory } from '../../support/scratch-directory.js'
import { intercept, snapshot } from './dead-directory.js'

const jobs = 2_000

/** A limit for what hangs. */
const soon = { timeout: 60_000 }

const newest = "SELECT TOP 5 VALUE c.id FROM c WHERE c.type = 'job' ORDER BY c.at DESC"
const oldestOpen = "SELECT TOP 5 VALUE c.id FROM c WHERE c.type = 'job' AND c.state = 'open' ORDER BY c.at"
const open = "SELECT VALUE COUNT(1) FROM c WHERE c.type = 'job' AND c.state = 'open'"
const ended = "SELECT VALUE COUNT(1) FROM c WHERE c.type = 'job' AND c.state = 'ended'"

function opened(dataDirectory: string): InProcessCosmos {
  const cosmos = createInProcessCosmos({ dataDirectory, memoryBytes: 100_000 })
  onTestFinished(() => cosmos.close())
  return cosmos
}

function put(cosmos: InProcessCosmos, number: number, state: string): void {
  const pk = `k${number % 50}`
  const documents = [
    { id: `j${number}`, pk, type: 'job', state, at: 1_000 + number },
    { id: `s${number}`, pk, type: 'step', state: 'done' },
  ]
  const writes = documents.map((document) => ({ kind: 'upsert' as const, document }))
  cosmos.engine.container('shop', 'orders').batch([pk], writes)
}

async function rows(cosmos: InProcessCosmos, text: string): Promise<readonly unknown[]> {
  const items = cosmos.client().database('shop').container('orders').items
  return (await items.query<unknown>(text).fetchAll()).resources
}

/** Returns a directory with jobs, whose store is still open. */
async function filled(): Promise<{ readonly cosmos: InProcessCosmos; readonly directory: string }> {
  const directory = scratchDirectory()
  const cosmos = opened(directory)
  cosmos.engine.createDatabase('shop')
  const paths = ['/type/?', '/state/?', '/at/?', '/flag/since/?']
  cosmos.engine.createContainer('shop', {
    id: 'orders',
    partitionKey: { paths: ['/pk'] },
    indexingPolicy: { includedPaths: paths.map((path) => ({ path })), excludedPaths: [{ path: '/*' }] },
  })
  for (let number = 0; number < jobs; number += 1) {
    put(cosmos, number, number === 3 || number === 1_700 ? 'open' : 'ended')
  }
  await cosmos.engine.settled()
  return { cosmos, directory }
}

it('the first queries after a start read only the blocks that have their documents', async () => {
  const { cosmos, directory } = await filled()
  // The first query makes the store count what it has.
  await rows(cosmos, open)
  await cosmos.close()
  const again = opened(directory)
  const reads = vi.spyOn(StoredDocuments.prototype, 'read')
  expect(await rows(again, newest)).toEqual([1, 2, 3, 4, 5].map((back) => `j${jobs - back}`))
  expect(reads.mock.calls.length).toBeLessThan(600)
  expect(await rows(again, oldestOpen)).toEqual(['j3', 'j1700'])
  expect(reads.mock.calls.length).toBeLessThan(1_800)
  const before = reads.mock.calls.length
  expect([...(await rows(again, open)), ...(await rows(again, ended))]).toEqual([2, jobs - 2])
  expect(reads.mock.calls.length).toBe(before)
})

it('IS_DEFINED reads only the blocks with a document that has the property', async () => {
  const { cosmos } = await filled()
  const flagged =
    "SELECT VALUE c.id FROM c WHERE c.type = 'job' AND IS_DEFINED(c.at) AND IS_DEFINED(c.flag.since)"
  expect(await rows(cosmos, flagged)).toEqual([])
  const flag = { id: 'flagged', pk: 'k3', type: 'job', state: 'flagged', flag: { since: 1 } }
  cosmos.engine.container('shop', 'orders').execute(['k3'], { kind: 'create', document: flag })
  const reads = vi.spyOn(KeptSummaries.prototype, 'documentsOf')
  expect(await rows(cosmos, flagged.replace('IS_DEFINED(c.at) AND', ''))).toEqual(['flagged'])
  // The newest block has changed, so its summary was made again, and then only this block was read.
  expect(new Set(reads.mock.calls.map(([block]) => block)).size).toBe(1)
})

it('a query for rare documents reads only these, also in a directory whose summaries older code wrote', async () => {
  const { cosmos, directory } = await filled()
  for (const number of [5, 500, 1_500]) put(cosmos, number, 'flagged')
  await rows(cosmos, open)
  await cosmos.close()
  const flagged = "SELECT TOP 100 VALUE c.id FROM c WHERE c.state = 'flagged' ORDER BY c.at DESC"
  const readsOf = async (store: InProcessCosmos): Promise<number> => {
    const reads = vi.spyOn(StoredDocuments.prototype, 'read')
    const before = reads.mock.calls.length
    expect(await rows(store, flagged)).toEqual(['j1500', 'j500', 'j5'])
    return reads.mock.calls.length - before
  }
  const again = opened(directory)
  expect(await readsOf(again)).toBe(3)
  const container = again.engine.container('shop', 'orders')
  const older = [...(container.cold?.summaries(0, Infinity) ?? [])].map(([block, text]) => {
    const [name, ...groups] = JSON.parse(text) as [string, ...[number | readonly number[], ...unknown[]][]]
    const counted = groups.map(([given, ...cells]) => [
      typeof given === 'number' ? given : given.length,
      ...cells,
    ])
    return { block, text: JSON.stringify([name.replace('places ', ''), ...counted]) }
  })
  const { rid: containerRid } = container
  container.journal.append(older.map((record) => ({ kind: 'summary', containerRid, ...record })))
  await again.engine.settled()
  await again.close()
  const upgraded = opened(directory)
  expect(await readsOf(upgraded)).toBeGreaterThan(3)
  // The end of the process writes summaries with places.
  await upgraded.close()
  expect(await readsOf(opened(directory))).toBe(3)
})

it('a document that changes after its block was summarized is found after a crash', async () => {
  const { cosmos, directory } = await filled()
  expect(await rows(cosmos, open)).toEqual([2])
  await cosmos.close()
  const running = opened(directory)
  put(running, 1_000, 'open')
  running.engine.container('shop', 'orders').execute(['k3'], { kind: 'delete', id: 'j3' })
  await running.engine.settled()
  // A copy of the files has what is on disk when the process dies.
  const copy = scratchDirectory()
  for (const file of readdirSync(directory).filter((name) => /\.(?:mdb|log)$/u.test(name)))
    cpSync(`${directory}/${file}`, `${copy}/${file}`)
  const recovered = opened(copy)
  expect(await rows(recovered, open)).toEqual([2])
  expect(await rows(recovered, oldestOpen)).toEqual(['j1000', 'j1700'])
  expect(await rows(recovered, ended)).toEqual([jobs - 3])
  // The same without a restart.
  expect(await rows(running, oldestOpen)).toEqual(['j1000', 'j1700'])
})

it('queries agree with the documents under writes, in a store that had no query before', async () => {
  const { cosmos, directory } = await filled()
  for (const number of [10, 20, 30]) put(cosmos, number, 'open')
  expect(await rows(cosmos, open)).toEqual([5])
  put(cosmos, 10, 'ended')
  put(cosmos, jobs, 'open')
  expect(await rows(cosmos, open)).toEqual([5])
  expect(await rows(cosmos, oldestOpen)).toEqual(['j3', 'j20', 'j30', 'j1700', `j${jobs}`])
  // The end writes the summaries, also of the blocks that changed after they were known.
  put(cosmos, 20, 'ended')
  await cosmos.close()
  const again = opened(directory)
  expect(await rows(again, oldestOpen)).toEqual(['j3', 'j30', 'j1700', `j${jobs}`])
  expect(await rows(again, open)).toEqual([4])
})

/** Takes over the timer of an idle store and the pauses of its work, which last until the test ends them. */
function heldClock(): {
  readonly fire: () => void
  readonly hold: () => void
  /** Ends the pauses so far. Later ones are held again if `isHolding` is set. */
  readonly release: (isHolding?: boolean) => void
} {
  const idle = new Set<() => void>()
  const real: Clock = { ...systemClock }
  vi.spyOn(systemClock, 'schedule').mockImplementation((ms, action) => {
    if (ms !== 1_000) return real.schedule(ms, action)
    idle.add(action)
    return { cancel: () => void idle.delete(action) }
  })
  const pauses: (() => void)[] = []
  const state = { isHolding: false }
  vi.spyOn(systemClock, 'sleep').mockImplementation((ms, signal) =>
    state.isHolding ? new Promise((resolve) => pauses.push(resolve)) : real.sleep(ms, signal),
  )
  onTestFinished(() => void vi.restoreAllMocks())
  return {
    fire: () => {
      const due = [...idle]
      idle.clear()
      for (const action of due) action()
    },
    hold: () => {
      state.isHolding = true
    },
    release: (isHolding = false) => {
      state.isHolding = isHolding
      for (const resolve of pauses.splice(0)) resolve()
    },
  }
}

it('a store that comes to rest while it writes summaries writes the remaining ones later', async () => {
  const { fire, hold, release } = heldClock()
  hold()
  const { cosmos } = await filled()
  const summaries = KeptSummaries.of(cosmos.engine.container('shop', 'orders'))
  // The first timer began before the last write, and the second one ends during the work.
  fire()
  fire()
  expect(summaries?.hasUnsaved).toBe(true)
  release()
  const isDone = (): boolean => {
    fire()
    return summaries?.hasUnsaved === false
  }
  await expect.poll(isDone, soon).toBe(true)
})

it('a write of another container lets the work of an idle store begin again later', async () => {
  const { fire, hold, release } = heldClock()
  const { cosmos } = await filled()
  const summaries = KeptSummaries.of(cosmos.engine.container('shop', 'orders'))
  const isDone = (): boolean => {
    fire()
    return summaries?.hasUnsaved === false
  }
  await expect.poll(isDone, soon).toBe(true)
  const small = { id: 'leases', partitionKey: { paths: ['/pk'] } }
  cosmos.engine.createContainer('shop', small)
  for (const number of [0, 500, 1_000, 1_500]) put(cosmos, number, 'ended')
  await cosmos.engine.settled()
  hold()
  const saves = vi.spyOn(KeptSummaries.prototype, 'saveNext')
  const savesSoFar = (): number => {
    const count = saves.mock.calls.length
    fire()
    if (count === 0) release(true)
    return count
  }
  await expect.poll(savesSoFar, soon).toBe(1)
  cosmos.engine.container('shop', 'leases').batch(['k'], [{ kind: 'upsert', document: { id: 'l', pk: 'k' } }])
  await cosmos.engine.settled()
  release()
  expect(summaries?.hasUnsaved).toBe(true)
  await expect.poll(isDone, soon).toBe(true)
})

it('queries agree with the documents wherever the process dies during a transfer', async () => {
  const { cosmos, directory } = await filled()
  const container = cosmos.engine.container('shop', 'orders')
  const summaries = KeptSummaries.of(container)
  while (summaries?.hasUnsaved === true) summaries.saveNext()
  await cosmos.engine.applied()
  const random = seededRandom(7)
  const copies: string[] = []
  let transactions = 0
  // Each round changes other blocks, so those of the round before stay as the transfer left them.
  let first = 0
  const changeSome = (most: number): void => {
    for (let left = most; left > 0; left -= 1) {
      put(cosmos, first + Math.floor(random.next() * 300), random.next() < 0.5 ? 'open' : 'ended')
    }
  }
  for (let round = 0; round < 2; round += 1) {
    first = round * 1_000
    changeSome(150)
    // Summaries are written in the same groups as the changes, and between them.
    for (let left = 2; left > 0; left -= 1) {
      summaries?.saveNext()
      changeSome(3)
    }
    await cosmos.engine.settled()
    intercept(async (write) => {
      if (random.next() < 0.5) changeSome(2)
      if (transactions === 4) summaries?.saveNext()
      await write()
      transactions += 1
      if (transactions % 3 === 0) copies.push(snapshot(directory))
    })
    await cosmos.engine.applied()
    vi.restoreAllMocks()
  }
  expect(copies.length).toBeGreaterThan(2)
  for (const copy of copies) {
    const again = opened(copy)
    const found = [...scan(again.engine.container('shop', 'orders'))].map(({ document }) => document)
    const countOf = (state: string): number => found.filter((document) => document['state'] === state).length
    expect([...(await rows(again, open)), ...(await rows(again, ended))]).toEqual([
      countOf('open'),
      countOf('ended'),
    ])
    await again.close()
    const closed = opened(copy)
    expect([...(await rows(closed, open)), ...(await rows(closed, ended))]).toEqual([
      countOf('open'),
      countOf('ended'),
    ])
    await closed.close()
  }
})

it('no summary of a container is written after the container was removed', async () => {
  const { cosmos, directory } = await filled()
  const original = Reflect.get(KeptSummaries.prototype, 'saveNext')
  let calls = 0
  vi.spyOn(KeptSummaries.prototype, 'saveNext').mockImplementation(function (this: KeptSummaries) {
    const work = original.call(this)
    calls += 1
    if (calls === 1) cosmos.engine.deleteContainer('shop', 'orders')
    return work
  })
  // Several blocks did not change during the last 4,000 changes, so the background writes their summaries.
  for (let number = jobs; number < jobs + 400; number += 1) put(cosmos, number, 'ended')
  await vi.waitUntil(() => calls > 0, { timeout: 60_000 })
  for (let turn = 0; turn < 30; turn += 1) await new Promise(setImmediate)
  vi.restoreAllMocks()
  await cosmos.close()
  expect(calls).toBe(1)
  const store = openStore<string, string>({ path: directory, encoding: 'string' })
  expect([...store.getKeys({ start: 'summary/', end: 'summary0' })]).toEqual([])
  await store.close()
})

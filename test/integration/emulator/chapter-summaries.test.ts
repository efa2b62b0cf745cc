import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { chapterSize } from '../../../src/emulator/engine/index.js'
import { KeptSummaries } from '../../../src/emulator/indexes/summaries/kept-summaries.js'
import { suspects } from '../../../src/emulator/indexes/suspects.js'
import { StoredDocuments } from '../../../src/emulator/durability/stored-documents.js'
import { allRows } from '../../unit/emulator/indexes/random-queries.js'
import { scratchDirectory } from '../../support/scratch-directory.js'
import { intercept, snapshot } from './dead-directory.js'

// The documents of a test are few, so several chapters need few blocks each.
const usual = { ...chapterSize }
beforeAll(() => Object.assign(chapterSize, { blocks: 2, mostOpen: 1, few: 1 }))
afterAll(() => Object.assign(chapterSize, usual))

const jobs = 2_000

const open = "SELECT VALUE COUNT(1) FROM c WHERE c.state = 'open'"
const ended = "SELECT VALUE COUNT(1) FROM c WHERE c.state = 'ended'"
const openNames = "SELECT VALUE c.id FROM c WHERE c.state = 'open' ORDER BY c.at"
const newest = 'SELECT TOP 3 VALUE c.id FROM c ORDER BY c.at DESC'

function opened(dataDirectory: string): InProcessCosmos {
  const cosmos = createInProcessCosmos({ dataDirectory, memoryBytes: 100_000 })
  onTestFinished(() => cosmos.close())
  return cosmos
}

function put({ engine }: InProcessCosmos, number: number, state: string): void {
  const document = { id: `j${number}`, pk: `k${number % 50}`, state, at: 1_000 + number }
  engine.container('shop', 'orders').execute([document.pk], { kind: 'upsert', document })
}

async function rows(cosmos: InProcessCosmos, text: string): Promise<readonly unknown[]> {
  const items = cosmos.client().database('shop').container('orders').items
  return (await items.query<unknown>(text).fetchAll()).resources
}

const paths = ['/state/?', '/at/?']

function policyOf(included: readonly string[]): object {
  return { includedPaths: included.map((path) => ({ path })), excludedPaths: [{ path: '/*' }] }
}

async function setPaths(cosmos: InProcessCosmos, included: readonly string[]): Promise<void> {
  const container = cosmos.client().database('shop').container('orders')
  const partitionKey = { paths: ['/pk'] }
  await container.replace({ id: 'orders', partitionKey, indexingPolicy: policyOf(included) })
}

/** Returns a store with jobs of four chapters, whose summaries are all on disk, and their directory. */
async function rested(): Promise<{ readonly cosmos: InProcessCosmos; readonly directory: string }> {
  const directory = scratchDirectory()
  const cosmos = opened(directory)
  cosmos.engine.createDatabase('shop')
  cosmos.engine.createContainer('shop', {
    id: 'orders',
    partitionKey: { paths: ['/pk'] },
    indexingPolicy: policyOf(paths),
  })
  for (let number = 0; number < jobs; number += 1)
    put(cosmos, number, number === 3 || number === 1_700 ? 'open' : 'ended')
  await rest(cosmos)
  return { cosmos, directory }
}

/** Writes the missing summaries, and moves them to the store, as a store without writes does. */
async function rest({ engine }: InProcessCosmos): Promise<void> {
  const summaries = KeptSummaries.of(engine.container('shop', 'orders'))
  await summaries?.caughtUp()
  while (summaries?.hasUnsaved === true) summaries.saveNext()
  await engine.applied()
}

/** Counts the ranges of blocks whose summaries are read. */
function readsOfBlocks(): () => number {
  const reads = vi.spyOn(StoredDocuments.prototype, 'summaries')
  onTestFinished(() => void vi.restoreAllMocks())
  return () => reads.mock.calls.length
}

it('a start reads the summaries of chapters, and only queries read those of their blocks', async () => {
  const { cosmos, directory } = await rested()
  await cosmos.close()
  const reads = readsOfBlocks()
  const again = opened(directory)
  expect([...(await rows(again, open)), ...(await rows(again, ended))]).toEqual([2, jobs - 2])
  // A start looks for blocks after the last chapter.
  const atStart = reads()
  expect(atStart).toBeLessThanOrEqual(5)
  expect(await rows(again, openNames)).toEqual(['j3', 'j1700'])
  expect(reads() - atStart).toBe(2)
  expect(await rows(again, newest)).toEqual(['j1999', 'j1998', 'j1997'])
})

it('a chapter whose summaries are on disk leaves memory, and a later query reads it again', async () => {
  const { cosmos } = await rested()
  const reads = readsOfBlocks()
  expect(await rows(cosmos, openNames)).toEqual(['j3', 'j1700'])
  const first = reads()
  expect(first).toBeGreaterThan(0)
  expect(await rows(cosmos, openNames)).toEqual(['j3', 'j1700'])
  expect(reads()).toBeGreaterThan(first)
})

it('queries see changes of documents whose chapter has left memory', async () => {
  const { cosmos } = await rested()
  put(cosmos, 3, 'ended')
  put(cosmos, 400, 'open')
  cosmos.engine.container('shop', 'orders').execute(['k0'], { kind: 'delete', id: 'j1700' })
  expect(await rows(cosmos, openNames)).toEqual(['j400'])
  expect([...(await rows(cosmos, open)), ...(await rows(cosmos, ended))]).toEqual([1, jobs - 2])
  await rest(cosmos)
  put(cosmos, 401, 'open')
  expect(await rows(cosmos, openNames)).toEqual(['j400', 'j401'])
})

it('the summary of a block whose documents are removed reads no documents of other blocks', async () => {
  const { cosmos } = await rested()
  const container = cosmos.engine.container('shop', 'orders')
  for (let number = 0; number < 1_000; number += 1)
    container.execute([`k${number % 50}`], { kind: 'delete', id: `j${number}` })
  const walks = vi.spyOn(StoredDocuments.prototype, 'numbersAfter')
  const reads = vi.spyOn(StoredDocuments.prototype, 'read')
  onTestFinished(() => void vi.restoreAllMocks())
  const summaries = KeptSummaries.of(container)
  while (summaries?.hasUnsaved === true) summaries.saveNext()
  expect(walks).not.toHaveBeenCalled()
  // Only the last of these blocks still has documents.
  expect(reads.mock.calls.length).toBeLessThan(256)
  expect(await rows(cosmos, ended)).toEqual([jobs - 1_001])
})

it('a change of a document removes the summary of its chapter from disk', async () => {
  const { cosmos, directory } = await rested()
  put(cosmos, 10, 'open')
  await cosmos.engine.settled()
  const onlyInLog = snapshot(directory)
  await cosmos.engine.applied()
  const inStore = snapshot(directory)
  for (const copy of [onlyInLog, inStore]) {
    const recovered = opened(copy)
    expect(await rows(recovered, openNames)).toEqual(['j3', 'j10', 'j1700'])
    expect(await rows(recovered, open)).toEqual([3])
  }
})

it('a process that ends before it has read the summaries writes no summary of a chapter', async () => {
  const { cosmos, directory } = await rested()
  await cosmos.close()
  const short = opened(directory)
  // The first write makes the store look at changes.
  for (const number of [10, 11]) put(short, number, 'open')
  await short.close()
  const again = opened(directory)
  expect([...(await rows(again, open)), ...(await rows(again, ended))]).toEqual([4, jobs - 4])
})

it('a chapter that changes while its summary goes to the store stays in memory', async () => {
  const { cosmos } = await rested()
  const container = cosmos.engine.container('shop', 'orders')
  const summaries = KeptSummaries.of(container)
  const changed = (number: number): void => {
    put(cosmos, number, 'open')
    while (summaries?.hasUnsaved === true) summaries.saveNext()
  }
  changed(10)
  const found: unknown[] = []
  let isFirst = true
  intercept(async (write) => {
    if (isFirst) changed(11)
    isFirst = false
    await write()
    // The other chapter takes the place in memory, so the second query reads what is on disk.
    allRows(container, openNames, 100, 0)
    found.push(allRows(container, openNames, 100, 0))
  })
  onTestFinished(() => void vi.restoreAllMocks())
  await cosmos.engine.applied()
  expect(found.length).toBeGreaterThan(2)
  for (const names of found) expect(names).toEqual(['"j3"', '"j10"', '"j11"', '"j1700"'])
})

it('a summary that is written before the others are read from disk does not hide them', async () => {
  const { cosmos } = await rested()
  // New settings begin with new summaries.
  await setPaths(cosmos, paths)
  await cosmos.engine.applied()
  const container = cosmos.engine.container('shop', 'orders')
  const summaries = KeptSummaries.of(container)
  const opening = summaries?.opened()
  put(cosmos, 10, 'open')
  while (summaries?.hasUnsaved === true) summaries.saveNext()
  await opening
  expect(allRows(container, openNames, 100, 0)).toEqual(['"j3"', '"j10"', '"j1700"'])
  expect(allRows(container, ended, 100, 0)).toEqual([String(jobs - 3)])
})

it('a query reads a chapter again after an earlier read has failed', async () => {
  const { cosmos } = await rested()
  const chapters = KeptSummaries.of(cosmos.engine.container('shop', 'orders'))?.chapters() ?? []
  const reads = vi.spyOn(StoredDocuments.prototype, 'summaries').mockImplementation(() => {
    throw new Error('damaged')
  })
  const last = chapters.at(-1)
  chapters.at(0)?.shut()
  last?.shut()
  expect(() => last?.blocks(null)).toThrow('damaged')
  reads.mockRestore()
  expect(await rows(cosmos, ended)).toEqual([jobs - 2])
  expect(await rows(cosmos, openNames)).toEqual(['j3', 'j1700'])
})

it('a search finds suspects while other documents of their block change', async () => {
  const { cosmos } = await rested()
  const container = cosmos.engine.container('shop', 'orders')
  const parts = await suspects(container, [{ path: ['state'], has: { text: 'open' } }])
  const found: string[] = []
  for (const part of parts ?? []) {
    found.push(...part.map(({ id }) => id))
    put(cosmos, 1_701, 'ended')
  }
  expect(found).toEqual(['j3', 'j1700'])
})

it('summaries of replaced settings are not written', async () => {
  const { cosmos, directory } = await rested()
  put(cosmos, 10, 'ended')
  const replaced = KeptSummaries.of(cosmos.engine.container('shop', 'orders'))
  replaced?.catchUp()
  await setPaths(cosmos, ['/at/?'])
  await KeptSummaries.of(cosmos.engine.container('shop', 'orders'))?.caughtUp()
  put(cosmos, 11, 'open')
  replaced?.saveNext()
  expect([replaced?.hasUnsaved, replaced?.hasWork]).toEqual([false, false])
  await setPaths(cosmos, paths)
  await cosmos.close()
  expect(await rows(opened(directory), openNames)).toEqual(['j3', 'j11', 'j1700'])
})

it('queries find documents that a merge moves in the log after their chapter has left memory', async () => {
  const { cosmos } = await rested()
  const container = cosmos.engine.container('shop', 'orders')
  const [first] = container.partitions
  const [left, right] = container.splitPartition(first?.id ?? '')
  // Now the parts of the container use the same LSNs.
  for (let number = 0; number < jobs; number += 1)
    put(cosmos, number, number === 3 || number === 1_700 ? 'open' : 'ended')
  await rest(cosmos)
  container.mergePartitions([left?.id ?? '', right?.id ?? ''])
  await cosmos.engine.applied()
  expect(await rows(cosmos, openNames)).toEqual(['j3', 'j1700'])
  expect(await rows(cosmos, ended)).toEqual([jobs - 2])
})

it('the summary of a chapter is not used after a summary of its blocks has got other paths', async () => {
  const { cosmos, directory } = await rested()
  await setPaths(cosmos, ['/at/?'])
  const summaries = KeptSummaries.of(cosmos.engine.container('shop', 'orders'))
  await summaries?.caughtUp()
  // The first two blocks get the other paths, but no chapter has them.
  summaries?.saveNext()
  await cosmos.engine.applied()
  await setPaths(cosmos, paths)
  await cosmos.close()
  const again = opened(directory)
  expect(await rows(again, openNames)).toEqual(['j3', 'j1700'])
  expect(await rows(again, newest)).toEqual(['j1999', 'j1998', 'j1997'])
})

it('a store at rest writes the summaries of chapters that older code did not write', async () => {
  const { cosmos, directory } = await rested()
  const container = cosmos.engine.container('shop', 'orders')
  const chapters = [...(container.cold?.chapters() ?? [])]
  expect(chapters.length).toBe(4)
  // The next summary of a block removes that of its chapter, as if it had never been written.
  const { rid: containerRid, journal, cold } = container
  const blocks = [...(cold?.summaries(0, Number.POSITIVE_INFINITY) ?? [])]
  journal.append(blocks.map(([block, text]) => ({ kind: 'summary', containerRid, block, text })))
  await cosmos.engine.applied()
  expect([...(cold?.chapters() ?? [])]).toEqual([])
  await cosmos.close()
  const again = opened(directory)
  await rest(again)
  expect([...(again.engine.container('shop', 'orders').cold?.chapters() ?? [])]).toEqual(chapters)
})

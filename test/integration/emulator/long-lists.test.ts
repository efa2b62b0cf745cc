import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import type { Container } from '../../../src/emulator/engine/index.js'
import { StoredDocuments } from '../../../src/emulator/durability/stored-documents.js'
import { compileQuery } from '../../../src/emulator/query/index.js'
import { PageTime } from '../../../src/emulator/query/language/page-time.js'
import { readPage, type ItemPage } from '../../../src/emulator/rest/pages/item-pages.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

const jobs = 3_000
/** The jobs with the rare tag. Two jobs have each time. */
const rare = [3, 800, 801, 2_000, 2_990]

const ofTag = (top: string, order: string) =>
  `SELECT ${top} VALUE c.id FROM c WHERE c.type = 'job' AND ARRAY_CONTAINS(c.tags, 'rare') ORDER BY c.at ${order}`
const ofText =
  "SELECT TOP 50 VALUE c.id FROM c WHERE c.type = 'job' AND CONTAINS(c.note, 'RARE', true) ORDER BY c.at"
const everyThird = "SELECT VALUE c.id FROM c WHERE c.type = 'job' AND c.number % 3 = 0 ORDER BY c.at DESC"

/** Clocks by which every page is long after about this number of documents. */
function quick(documents: number): { readonly monotonic: () => number; readonly processor: () => number } {
  let now = 0
  return { monotonic: () => (now += 100 / documents), processor: () => 0 }
}

describe('a list that reads many documents', () => {
  let cosmos: InProcessCosmos
  let container: Container

  beforeEach(async () => {
    cosmos = createInProcessCosmos({ dataDirectory: scratchDirectory(), memoryBytes: 100_000 })
    onTestFinished(() => cosmos.close())
    cosmos.engine.createDatabase('shop')
    const paths = ['/type/?', '/at/?', '/tags/[]/?', '/note/?', '/number/?']
    container = cosmos.engine.createContainer('shop', {
      id: 'orders',
      partitionKey: { paths: ['/pk'] },
      indexingPolicy: { includedPaths: paths.map((path) => ({ path })), excludedPaths: [{ path: '/*' }] },
    })
    for (let number = 0; number < jobs; number += 1) put(number)
    await cosmos.engine.settled()
    // The first query makes the store count what it has.
    await listed(ofTag('TOP 1', ''))
  })

  function put(number: number): void {
    const isRare = rare.includes(number)
    const [tags, note] = isRare ? [['rare'], 'a rare one'] : [[`customer=${number}`], 'usual']
    const document = { id: `j${number}`, pk: 'k', type: 'job', at: number >> 1, number, tags, note }
    container.execute(['k'], { kind: 'upsert', document })
  }

  /** Reads all pages, each of which is long after about `documents`. Calls `change` after each page. */
  function pages(
    text: string,
    { maxItemCount, documents }: { readonly maxItemCount: number; readonly documents: number },
    change = (): void => undefined,
  ): readonly ItemPage[] {
    const read: ItemPage[] = []
    for (let continuation: string | null = ''; continuation !== null;) {
      const query = compileQuery(text, [], { clocks: quick(documents) })
      const page: ItemPage = readPage(container, {
        scope: { kind: 'range' },
        query,
        text,
        maxItemCount,
        continuation,
      })
      read.push(page)
      continuation = page.continuation
      change()
    }
    return read
  }

  async function listed(text: string): Promise<readonly unknown[]> {
    const { items } = cosmos.client().database('shop').container('orders')
    return (await items.query<unknown>(text).fetchAll()).resources
  }

  const rowsOf = (read: readonly ItemPage[]) =>
    read.flatMap(({ rows }) => rows.map((row) => JSON.parse(row) as string))

  const byTime = ['j3', 'j800', 'j801', 'j2000', 'j2990']
  const newestFirst = ['j2990', 'j2000', 'j800', 'j801', 'j3']

  it.each([
    [ofTag('', ''), byTime],
    [ofTag('', 'DESC'), newestFirst],
    [ofTag('TOP 3', ''), byTime.slice(0, 3)],
    [ofTag('TOP 3', 'DESC'), newestFirst.slice(0, 3)],
    [ofTag('TOP 50', 'DESC'), newestFirst],
    [ofText, byTime],
  ])('ends its pages early, and has each row once in order: %s', (text, expected) => {
    for (const maxItemCount of [1, 2, 1_000]) {
      const read = pages(text, { maxItemCount, documents: 1 })
      expect(rowsOf(read)).toEqual(expected)
      expect(read.some(({ rows }) => rows.length === 0)).toBe(true)
    }
  })

  it('goes on from its place when documents change after each page', () => {
    let number = jobs
    const reads = vi.spyOn(StoredDocuments.prototype, 'read')
    onTestFinished(() => void vi.restoreAllMocks())
    const readsOfPages: number[] = []
    const slow = { maxItemCount: 10, documents: 1 }
    const change = (): void => {
      readsOfPages.push(reads.mock.calls.length)
      reads.mockClear()
      put(number)
      put(number % 500)
      number += 1
    }
    expect(rowsOf(pages(ofTag('TOP 50', ''), slow, change))).toEqual(byTime)
    expect(rowsOf(pages(ofTag('TOP 50', 'DESC'), slow, change))).toEqual(newestFirst)
    expect(rowsOf(pages(ofText, { ...slow, documents: 100 }, change))).toEqual(byTime)
    // A page reads the block again at which the page before has ended, but not the blocks before it.
    expect(Math.max(...readsOfPages)).toBeGreaterThan(0)
    expect(Math.max(...readsOfPages)).toBeLessThan(2_000)
  })

  it('has every row when most documents match', () => {
    const expected = Array.from({ length: jobs / 3 }, (_, index) => `j${index * 3}`)
    const read = pages(everyThird, { maxItemCount: 100, documents: 10 })
    expect([...rowsOf(read)].sort()).toEqual([...expected].sort())
    const numbers = rowsOf(read).map((id) => Number(id.slice(1)) >> 1)
    expect(numbers).toEqual([...numbers].sort((one, other) => other - one))
  })

  it('is complete for a client of the SDK, which goes on after an empty page', async () => {
    vi.spyOn(PageTime.prototype, 'isLong', 'get').mockReturnValue(true)
    onTestFinished(() => void vi.restoreAllMocks())
    expect(await listed(ofTag('TOP 50', 'DESC'))).toEqual(newestFirst)
    expect(await listed(ofTag('TOP 2', ''))).toEqual(byTime.slice(0, 2))
    expect(await listed(ofText)).toEqual(byTime)
  })
})

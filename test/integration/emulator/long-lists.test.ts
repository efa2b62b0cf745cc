import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import type { Container } from '../../../src/emulator/engine/index.js'
import { StoredDocuments } from '../../../src/emulator/durability/stored-documents.js'
import { compileQuery } from '../../../src/emulator/query/index.js'
import type { PageClocks } from '../../../src/emulator/query/language/page-time.js'
import { QueryMeasure } from '../../../src/emulator/rest/metering/query-metrics.js'
import { readPage, type ItemPage } from '../../../src/emulator/rest/pages/item-pages.js'
import { systemClock } from '../../../src/platform/index.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

const jobs = 3_000
/** The jobs with the rare tag. Each time belongs to two jobs. */
const rare = [3, 800, 801, 2_000, 2_990]

const ofTag = (top: string, order: string) =>
  `SELECT ${top} VALUE c.id FROM c WHERE c.type = 'job' AND ARRAY_CONTAINS(c.tags, 'rare') ORDER BY c.at ${order}`
const ofText =
  "SELECT TOP 50 VALUE c.id FROM c WHERE c.type = 'job' AND CONTAINS(c.note, 'RARE', true) ORDER BY c.at"
const everyThird = "SELECT VALUE c.id FROM c WHERE c.type = 'job' AND c.number % 3 = 0 ORDER BY c.at DESC"

/** Returns clocks that make a page long after this number of documents. The page comes to its first document at once. */
function quick(documents: number): PageClocks {
  let looks = 0
  return {
    monotonic: () => {
      looks += 1
      // Two looks begin a page, and one comes with its first document.
      return Math.max(0, looks - 3) * (100 / documents)
    },
    processor: () => 0,
  }
}

/** How pages are asked for. */
interface Asked {
  readonly maxItemCount: number
  readonly clocks: () => PageClocks
  readonly measure?: () => QueryMeasure
}

describe('a list that reads many documents', () => {
  let cosmos: InProcessCosmos
  let container: Container

  beforeEach(async () => {
    cosmos = createInProcessCosmos({ dataDirectory: scratchDirectory(), memoryBytes: 100_000 })
    onTestFinished(() => cosmos.close())
    cosmos.engine.createDatabase('shop')
    const paths = ['/type/?', '/at/?', '/tags/[]/?', '/note/?', '/number/?', '/took/?']
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
    const took = (number * 7_919) % 100_003
    const document = { id: `j${number}`, pk: 'k', type: 'job', at: number >> 1, number, took, tags, note }
    container.execute(['k'], { kind: 'upsert', document })
  }

  function page(
    text: string,
    { continuation = '', maxItemCount, clocks, measure }: Asked & { readonly continuation?: string },
  ): ItemPage {
    const query = compileQuery(text, [], { clocks: clocks() })
    const scope = { kind: 'range' } as const
    return readPage(container, { scope, query, text, maxItemCount, continuation, measure: measure?.() })
  }

  /** Reads all pages. Calls `change` after each page. */
  function pages(text: string, asked: Asked, change = (): void => undefined): readonly ItemPage[] {
    const read: ItemPage[] = []
    for (let next: string | null = ''; next !== null && read.length < 5_000;) {
      const one = page(text, { ...asked, continuation: next })
      read.push(one)
      next = one.continuation
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
      const read = pages(text, { maxItemCount, clocks: () => quick(1) })
      expect(rowsOf(read)).toEqual(expected)
      expect(read.some(({ rows }) => rows.length === 0)).toBe(true)
    }
  })

  it('goes on from its place when documents change after each page', () => {
    let number = jobs
    const reads = vi.spyOn(StoredDocuments.prototype, 'read')
    onTestFinished(() => void vi.restoreAllMocks())
    const readsOfPages: number[] = []
    const slow = { maxItemCount: 10, clocks: () => quick(1) }
    const change = (): void => {
      readsOfPages.push(reads.mock.calls.length)
      reads.mockClear()
      put(number)
      put(number % 500)
      number += 1
    }
    expect(rowsOf(pages(ofTag('TOP 50', ''), slow, change))).toEqual(byTime)
    expect(rowsOf(pages(ofTag('TOP 50', 'DESC'), slow, change))).toEqual(newestFirst)
    expect(rowsOf(pages(ofText, { ...slow, clocks: () => quick(100) }, change))).toEqual(byTime)
    // A page reads again the block in which the previous page ended, but not the blocks before that one.
    expect(Math.max(...readsOfPages)).toBeGreaterThan(0)
    expect(Math.max(...readsOfPages)).toBeLessThan(2_000)
  })

  it('has every row when most documents match', () => {
    const expected = Array.from({ length: jobs / 3 }, (_, index) => `j${index * 3}`)
    const read = pages(everyThird, { maxItemCount: 100, clocks: () => quick(10) })
    expect([...rowsOf(read)].sort()).toEqual([...expected].sort())
    const numbers = rowsOf(read).map((id) => Number(id.slice(1)) >> 1)
    expect(numbers).toEqual([...numbers].sort((one, other) => other - one))
  })

  it('keeps its place when another client reads the same list', () => {
    const text = ofTag('TOP 50', '')
    const asked = { maxItemCount: 1, clocks: () => quick(1) }
    const seen: string[] = []
    let next: string | null = ''
    for (let count = 0; next !== null && count < 500; count += 1) {
      const read: ItemPage = page(text, { ...asked, continuation: next })
      seen.push(...rowsOf([read]))
      next = read.continuation
      put(100)
      page(text, asked)
      if (count % 2 === 0) put(101)
    }
    expect({ seen, next }).toEqual({ seen: byTime, next: null })
  })

  it('has each row once when a row that was read is deleted, and another client reads the same list', () => {
    const text = ofTag('TOP 50', '')
    const asked = { maxItemCount: 2, clocks: () => quick(1e9) }
    const first = page(text, asked)
    container.execute(['k'], { kind: 'delete', id: 'j3' })
    page(text, asked)
    const second = page(text, { ...asked, maxItemCount: 10, continuation: first.continuation ?? '' })
    expect(rowsOf([first, second])).toEqual(byTime)
  })

  it('does most of its work after its place, also in an order that is not the order of creation', () => {
    const text =
      "SELECT TOP 50 VALUE c.id FROM c WHERE c.type = 'job' AND c.number % 1000 = 3 ORDER BY c.took"
    const original = Reflect.get<StoredDocuments, 'read'>(StoredDocuments.prototype, 'read')
    let reads = 0
    vi.spyOn(StoredDocuments.prototype, 'read').mockImplementation(function (
      this: StoredDocuments,
      ...given
    ) {
      reads += 1
      return original.apply(this, given)
    })
    onTestFinished(() => void vi.restoreAllMocks())
    // A document takes 0.05 ms.
    const clocks = () => ({ monotonic: () => reads * 0.05, processor: () => 0 })
    const read = pages(text, { maxItemCount: 50, clocks }, () => put(100))
    expect(rowsOf(read)).toEqual(['j3', 'j1003', 'j2003'])
    expect(reads).toBeLessThan(jobs * 5)
  })

  it('counts in its metrics the documents of each page', () => {
    const measures: QueryMeasure[] = []
    const measure = (): QueryMeasure => {
      const one = new QueryMeasure(() => 0)
      measures.push(one)
      return one
    }
    const text = "SELECT VALUE c.id FROM c WHERE c.type = 'job' ORDER BY c.at"
    const read = pages(text, { maxItemCount: 5_000, clocks: () => quick(300), measure })
    expect(read.length).toBeGreaterThan(5)
    const counts = read.map(({ rows }, index) => {
      const metrics = measures[index]?.metrics(rows) ?? ''
      return [rows.length, Number(/retrievedDocumentCount=(\d+)/u.exec(metrics)?.[1])]
    })
    for (const [rows, documents] of counts) expect(documents).toBe(rows)
  })

  it('is complete for a client of the SDK, which goes on after an empty page', async () => {
    let now = 0
    const looks = vi.spyOn(systemClock, 'monotonic').mockImplementation(() => (now += 40))
    onTestFinished(() => void vi.restoreAllMocks())
    expect(await listed(ofTag('TOP 50', 'DESC'))).toEqual(newestFirst)
    expect(await listed(ofTag('TOP 2', ''))).toEqual(byTime.slice(0, 2))
    expect(await listed(ofText)).toEqual(byTime)
    expect(looks.mock.calls.length).toBeGreaterThan(100)
  })
})

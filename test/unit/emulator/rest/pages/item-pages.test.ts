import { describe, expect, it } from 'vitest'
import { compileQuery } from '../../../../../src/emulator/query/index.js'
import { readPage, type ItemPage } from '../../../../../src/emulator/rest/pages/item-pages.js'
import type { Container, JsonObject } from '../../../../../src/emulator/engine/index.js'
import { aContainer, upsertOf } from '../../engine/an-engine.js'

function containerOf(count: number, more: JsonObject): Container {
  const container = aContainer()
  for (let index = 0; index < count; index += 1) container.execute(['k'], upsertOf(String(index), 'k', more))
  return container
}

/** Compiles a query whose clock advances by 1 ms at each look, with this limit for each page. */
function pagesOf(container: Container, text: string, pageTimeMs: number): (continuation: string) => ItemPage {
  let looks = 0
  const clock = (): number => (looks += 1)
  const clocks = { monotonic: clock, processor: clock }
  return (continuation) => {
    const query = compileQuery(text, [], { pageTimeMs, clocks })
    const scope = { kind: 'range' } as const
    return readPage(container, { scope, query, text, maxItemCount: 1_000, continuation })
  }
}

/** Reads all pages, and returns the rows of each. */
function readAll(read: (continuation: string) => ItemPage): readonly (readonly string[])[] {
  const pages: (readonly string[])[] = []
  for (let continuation: string | null = ''; continuation !== null;) {
    const page = read(continuation)
    pages.push(page.rows)
    continuation = page.continuation
  }
  return pages
}

describe('the pages of a query', () => {
  const slow = `SELECT VALUE c.id FROM c WHERE ${Array(8).fill('RegexMatch(c.id, "x")').join(' OR ')} OR true`

  it('ends a page with the documents that it finished in time', () => {
    const pages = readAll(pagesOf(containerOf(20, {}), slow, 30))
    expect(pages.length).toBeGreaterThan(3)
    expect(pages.flat()).toEqual(Array.from({ length: 20 }, (_, index) => JSON.stringify(String(index))))
  })

  it('refuses a query that does not finish a single document in time', () => {
    expect(() => readAll(pagesOf(containerOf(20, {}), slow, 5))).toThrow('runs longer than the limit')
  })

  it('refuses a query that must read all documents and does not finish in time', () => {
    const text = slow.replace('VALUE c.id', 'DISTINCT VALUE c.id')
    expect(() => readAll(pagesOf(containerOf(20, {}), text, 30))).toThrow('runs longer than the limit')
  })

  it.each(['', ' ORDER BY c.id'])('ends a page before its rows are longer than an answer: %s', (order) => {
    const container = containerOf(5, { text: 'a'.repeat(1_500_000) })
    const pages = readAll(pagesOf(container, `SELECT * FROM c${order}`, 1_000))
    expect(pages.map((rows) => rows.length)).toEqual([3, 2])
    const ids = pages.flat().map((row) => (JSON.parse(row) as { readonly id: string }).id)
    expect(ids).toEqual(['0', '1', '2', '3', '4'])
  })

  it.each(['SELECT TOP 100 VALUE c.id FROM c', 'SELECT TOP 100 VALUE c.id FROM c ORDER BY c.id'])(
    'ends although documents left the result between two pages: %s',
    (text) => {
      const container = containerOf(10, {})
      const read = (continuation: string): ItemPage =>
        readPage(container, {
          scope: { kind: 'range' },
          query: compileQuery(text, []),
          text,
          maxItemCount: 5,
          continuation,
        })
      const { continuation } = read(read('').continuation ?? '')
      for (let index = 0; index < 8; index += 1)
        container.execute(['k'], { kind: 'delete', id: String(index) })
      expect(read(continuation ?? '')).toMatchObject({ rows: [], continuation: null })
    },
  )
})

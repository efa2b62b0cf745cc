import { describe, expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import type { Container } from '../../../src/emulator/engine/index.js'
import { scan } from '../../../src/emulator/engine/index.js'
import { compileQuery } from '../../../src/emulator/query/index.js'
import { readPage, type ItemPage } from '../../../src/emulator/rest/pages/item-pages.js'

function shop(): Container {
  const cosmos = createInProcessCosmos()
  cosmos.engine.createDatabase('shop')
  return cosmos.engine.createContainer('shop', { id: 'orders', partitionKey: { paths: ['/pk'] } })
}

function all(
  container: Container,
  text: string,
  maxItemCount: number,
  change = (): void => undefined,
): unknown[] {
  const rows: unknown[] = []
  let count = 0
  for (let next: string | null = ''; next !== null && count < 5_000; count += 1) {
    const read: ItemPage = readPage(container, {
      scope: { kind: 'range' },
      query: compileQuery(text, []),
      text,
      maxItemCount,
      continuation: next,
    })
    rows.push(...read.rows.map((row) => JSON.parse(row) as unknown))
    next = read.continuation
    change()
  }
  return rows
}
const naive = (container: Container, text: string) =>
  compileQuery(text, []).execute(Array.from(scan(container), ({ document }) => document))

describe('the pages of TOP', () => {
  it('repeat no row when a later page could be computed from indexes alone', () => {
    const container = shop()
    for (let number = 0; number < 2_000; number += 1) {
      const document = {
        id: `j${number}`,
        pk: `k${number % 5}`,
        status: number % 7 === 0 ? 'open' : 'done',
        at: number,
      }
      container.execute([document.pk], { kind: 'upsert', document })
    }
    const text = "SELECT TOP 200 c.status, c.at FROM c WHERE c.status = 'open' AND c.at >= 0 ORDER BY c.at"
    let number = 5_000
    const read = all(container, text, 10, () => {
      const document = { id: `j${number}`, pk: 'k', status: 'done', at: number }
      number += 1
      container.execute(['k'], { kind: 'upsert', document })
    })
    const expected = naive(container, text)
    expect(read.length).toBe(expected.length)
    expect(read).toEqual(expected)
  })

  it('compute only the rows that they return', () => {
    const container = shop()
    for (let number = 0; number < 900; number += 1)
      container.execute(['k'], {
        kind: 'upsert',
        document: { id: `j${number}`, pk: 'k', at: number, text: 'x' },
      })
    const large = Array.from({ length: 10 }, () => 'REPLICATE(c.text, 10000)').join(', ')
    const text = `SELECT TOP 1 CONCAT(${large}) AS t FROM c ORDER BY c.at`
    expect(naive(container, text).length).toBe(1)
    expect(all(container, text, 10).length).toBe(1)
  })

  const texts = [
    'SELECT TOP 7 VALUE x.n FROM x IN c.list ORDER BY x.n',
    'SELECT TOP 7 VALUE x.n FROM c JOIN x IN c.list ORDER BY x.n DESC',
    'SELECT TOP 7 VALUE s.n FROM c.sub s ORDER BY s.n',
    'SELECT TOP 7 VALUE t.n FROM (SELECT c.m AS n FROM c) t ORDER BY t.n',
    'SELECT TOP 7 c.id, x.n FROM c JOIN x IN c.list ORDER BY c.n DESC',
    'SELECT TOP 0 c.id FROM c ORDER BY c.n DESC',
    'SELECT TOP 500 c.id FROM c ORDER BY c.n DESC',
    'SELECT TOP 500 VALUE c.maybe FROM c ORDER BY c.n DESC',
    'SELECT TOP 5 VALUE c.maybe FROM c ORDER BY c.n DESC',
    'SELECT TOP 5 * FROM c ORDER BY c.mixed, c.n DESC',
    'SELECT TOP 50 * FROM c ORDER BY c.mixed DESC, c.n',
    'SELECT TOP 50 * FROM c ORDER BY c.mixed DESC',
    'SELECT TOP 50 * FROM c ORDER BY c["mixed"] DESC',
    'SELECT TOP 5 VALUE c.id FROM c',
    'SELECT DISTINCT TOP 3 VALUE c.m FROM c ORDER BY c.m',
    'SELECT TOP 3 c.m, COUNT(1) AS n FROM c GROUP BY c.m',
    'SELECT TOP 3 VALUE COUNT(1) FROM c',
    'SELECT TOP 5 VALUE c.list[0].n FROM c ORDER BY c.list[0].n DESC',
    'SELECT TOP 5 c.id FROM c ORDER BY c._ts DESC',
    'SELECT TOP 5 VALUE 1 FROM c ORDER BY c.n',
    'SELECT TOP 5 VALUE c.n + c.m FROM c WHERE ARRAY_CONTAINS(c.tags, "é\\u0041") ORDER BY c.n',
    'SELECT TOP 5 VALUE c.n FROM c WHERE ARRAY_CONTAINS(c.tags, "a\\"b\\\\") ORDER BY c.n',
    'SELECT VALUE c.n FROM c WHERE ARRAY_CONTAINS(c.tags, {"a":"q"}, true)',
    'SELECT VALUE c.n FROM c WHERE ARRAY_CONTAINS(c.tags, "Q", false)',
    'SELECT VALUE c.n FROM c WHERE ARRAY_CONTAINS(c.list[0].tags, "deep")',
    'SELECT VALUE c.n FROM c JOIN c IN c.list WHERE ARRAY_CONTAINS(c.tags, "deep")',
    'SELECT VALUE c.n FROM c WHERE (ARRAY_CONTAINS(c.tags, "Q")) AND c.n > 3',
    'SELECT VALUE c.n FROM c WHERE ARRAY_CONTAINS(c.tags, "Q") = false',
    'SELECT VALUE d.n FROM (SELECT VALUE c FROM c) d WHERE ARRAY_CONTAINS(d.tags, "Q")',
  ]
  it.each(texts)('have the same rows as a single computation: %s', (text) => {
    const container = shop()
    const mixed = [undefined, null, true, false, 1, -2.5, 'a', 'é', '😀', '', [1], { a: 1 }, [], {}]
    for (let n = 0; n < 1_300; n += 1) {
      const document = {
        id: `j${n}`,
        pk: `k${n % 5}`,
        n: (n * 7) % 61,
        m: n % 4,
        mixed: mixed[n % mixed.length],
        sub: { n: (n * 3) % 17 },
        list: [{ n: n % 9, tags: ['deep'] }, { n: (n * 5) % 11 }, { n: 100 - n }],
        tags: n % 3 === 0 ? ['éA', 'Q', { a: 'q', b: 1 }] : ['a"b\\', n],
        ...(n % 2 === 0 ? { maybe: n } : {}),
      }
      container.execute([document.pk], {
        kind: 'upsert',
        document: JSON.parse(JSON.stringify(document)) as typeof document,
      })
    }
    let expected: readonly unknown[]
    try {
      expected = naive(container, text)
    } catch (error) {
      expect(() => all(container, text, 1)).toThrow((error as Error).message)
      return
    }
    for (const max of [1, 5, 1_000]) expect(all(container, text, max)).toEqual(expected)
  })
})

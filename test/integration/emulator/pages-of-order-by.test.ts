import { beforeEach, describe, expect, it } from 'vitest'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import type { Container } from '../../../src/emulator/engine/index.js'
import { compileQuery } from '../../../src/emulator/query/index.js'
import { readPage, type ItemPage } from '../../../src/emulator/rest/pages/item-pages.js'

const text = 'SELECT VALUE c.id FROM c JOIN x IN c.list WHERE c.n != 7 ORDER BY c.n DESC'

/** A key that is missing, of each type, and outside ASCII. Several documents have each of them. */
const keys = [undefined, null, true, 1, 2, 3, 7, 'é', '😀', 'z']

// An index is used from 1,000 documents on.
describe.each([60, 1_200])('the pages of ORDER BY over %i documents that change', (count) => {
  let cosmos: InProcessCosmos
  let container: Container

  beforeEach(() => {
    cosmos = createInProcessCosmos({ partitionCount: 2 })
    cosmos.engine.createDatabase('shop')
    container = cosmos.engine.createContainer('shop', { id: 'orders', partitionKey: { paths: ['/id'] } })
    for (let index = 0; index < count; index += 1) write(`o${index}`, keys[index % keys.length])
  })

  function write(id: string, n: unknown): void {
    container.execute([id], { kind: 'upsert', document: { id, n, list: [1, 2, 3] } })
  }

  function page(continuation: string, partitionId?: string): ItemPage {
    const partition = partitionId === undefined ? undefined : container.partitionById(partitionId)
    const scope = { kind: 'range' as const, partition }
    return readPage(container, { scope, query: compileQuery(text, []), text, maxItemCount: 10, continuation })
  }

  /** Reads the pages after a continuation, and calls `change` after each of them. */
  function rest(continuation: string | null, change = (): void => undefined, partitionId?: string): string[] {
    const rows: string[] = []
    for (let next = continuation; next !== null;) {
      const read = page(next, partitionId)
      rows.push(...read.rows.map((row) => JSON.parse(row) as string))
      next = read.continuation
      change()
    }
    return rows
  }

  it('have each row of an unchanged document once, in order', () => {
    const expected = rest('')
    const gone = new Set<string>()
    let round = 0
    const changed = rest('', () => {
      const id = expected[round * 9] ?? ''
      round += 1
      gone.add(id)
      if (round % 2 === 0) container.execute([id], { kind: 'delete', id })
      else write(id, 'zzz')
      if (round < 10) write(`new${round}`, 'zz')
    })
    const isKept = (id: string): boolean => !gone.has(id) && !id.startsWith('new')
    expect(changed.filter(isKept)).toEqual(expected.filter(isKept))
  })

  it('continue in both halves of a range that was split', () => {
    const expected = rest('', undefined, '0')
    const first = page('', '0')
    container.splitPartition('0')
    const halves = container.partitions.filter(({ id }) => id !== '1')
    const later = halves.flatMap(({ id }) => rest(first.continuation, undefined, id))
    expect([...first.rows.map((row) => JSON.parse(row) as string), ...later].sort()).toEqual(expected.sort())
  })

  it('have a continuation that a header can hold', () => {
    write('long', `😀${'é'.repeat(10_000)}`)
    const { continuation, rows } = page('')
    expect(rows[0]).toBe('"long"')
    const next = readPage(container, {
      scope: { kind: 'range' },
      query: compileQuery(text, []),
      text,
      maxItemCount: 1,
      continuation: '',
    })
    expect(continuation).toMatch(/^[\x20-\x7e]{1,4100}$/u)
    expect(next.continuation).toBe('{"from":1}')
    expect(rest(next.continuation).slice(0, 9)).toEqual(rows.slice(1).map((row) => JSON.parse(row) as string))
  })

  it.each(['{"from":1,"place":7}', '{"from":1,"place":[[1],2,3]}', '{"from":1,"place":[[[1],[2]],2,3]}'])(
    'refuse the continuation %s',
    (continuation) => {
      expect(() => page(continuation)).toThrow(/^Invalid Continuation Token/u)
    },
  )
})

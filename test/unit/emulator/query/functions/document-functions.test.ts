import { describe, expect, it } from 'vitest'
import { documentRid } from '../../../../../src/emulator/engine/values/resource-id.js'
import { compileQuery } from '../../../../../src/emulator/query/index.js'

const documented = { id: '5741047452', _rid: '36ZyAPW+uN8NAAAAAAAAAA==' }

describe('DOCUMENTID', () => {
  it('is the number in the rid of the document', () => {
    const text = 'SELECT p.id, p._rid, DOCUMENTID(p) AS documentId FROM product p'
    expect(compileQuery(text, []).execute([documented])).toEqual([{ ...documented, documentId: 13 }])
  })

  it('filters', () => {
    const text = 'SELECT VALUE p.id FROM product p WHERE DOCUMENTID(p) >= @from AND DOCUMENTID(p) <= 15'
    expect(compileQuery(text, [{ name: '@from', value: 5 }]).execute([documented])).toEqual(['5741047452'])
    expect(compileQuery(text, [{ name: '@from', value: 14 }]).execute([documented])).toEqual([])
  })

  it.each([1, 255, 256, 2 ** 32 + 1, 2 ** 53 - 1])('returns number %i of the engine', (number) => {
    const document = { _rid: documentRid('36ZyAPW+uN8=', number) }
    expect(compileQuery('SELECT VALUE DOCUMENTID(c) FROM c', []).execute([document])).toEqual([number])
  })

  it.each([
    'c.id',
    'c.nothing',
    'null',
    '1',
    '[c]',
    '{}',
    '{ _rid: 1 }',
    '{ _rid: "" }',
    '{ _rid: "36ZyAPW+uN8=" }',
    '{ _rid: "36ZyAPW+uN8NAAAAAAAAA!==" }',
    '{ _rid: "36ZyAPW+uN8NAAAAAAAAAA==AAAA" }',
  ])('is undefined for %s', (value) => {
    const text = `SELECT VALUE DOCUMENTID(${value}) FROM c`
    expect(compileQuery(text, []).execute([documented])).toEqual([])
  })

  it('reads the rid of any document, also with a minus instead of a slash', () => {
    const text = 'SELECT VALUE DOCUMENTID({ _rid: "TughAL-sYbECAAAAAAAAAA==" })'
    expect(compileQuery(text, []).execute([])).toEqual([2])
  })

  it.each(['DOCUMENTID()', 'DOCUMENTID(c, c)'])('is refused with a wrong count of arguments: %s', (call) => {
    expect(() => compileQuery(`SELECT VALUE ${call} FROM c`, [])).toThrow('SC2050')
  })
})

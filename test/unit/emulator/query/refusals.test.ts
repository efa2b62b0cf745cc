import { describe, expect, it } from 'vitest'
import { compileQuery, QueryError } from '../../../../src/emulator/query/index.js'

function refusalOf(text: string): QueryError {
  try {
    compileQuery(text, [{ name: '@text', value: 'x' }])
  } catch (error) {
    if (error instanceof QueryError) return error
    throw error
  }
  throw new Error(`${text} was not refused`)
}

/** Returns the text that the error points at. */
function pointedAt(text: string): string {
  const { start, end } = refusalOf(text).location
  return text.slice(start, end)
}

describe('an incorrect query', () => {
  it.each<[string, string, string, string]>([
    ['', 'SC1001', '', 'empty'],
    ['-- nothing', 'SC1001', '-- nothing', 'empty'],
    ['SELEC * FROM c', 'SC1001', 'SELEC', "near 'SELEC'"],
    ['SELECT * FROM c WHERE', 'SC1001', 'WHERE', "near 'WHERE'"],
    ['SELECT * FROM c WHERE c.id = = 1', 'SC1001', '=', "near '='"],
    ['SELECT * FROM c WHERE c.order = 1', 'SC1001', 'order', "near 'order'"],
    ['SELECT c.value FROM c', 'SC1001', 'value', "near 'value'"],
    ['SELECT COUNT(*) FROM c', 'SC1001', '*', "near '*'"],
    ['SELECT * FROM c LIMIT 1', 'SC1001', 'LIMIT', "near 'LIMIT'"],
    ['SELECT * FROM c WHERE c.a IN ()', 'SC1001', ')', "near ')'"],
    ['SELECT * FROM c d e', 'SC1001', 'e', "near 'e'"],
    ['SELECT TOP -1 * FROM c', 'SC1001', '-', "near '-'"],
    ['SELECT * FROM c WHERE c.a LIKE "x" ESCAPE "!!"', 'SC1001', '"!!"', 'one character'],
    ['SELECT * FROM c;', 'SC1010', ';', "token ';'"],
    ['SELECT VALUE 0b1', 'SC1010', '0', "token '0'"],
    ['SELECT VALUE 1e400', 'SC1001', '1e400', "near '1e400'"],
    ['SELECT * FROM c WHERE c.a ! 1', 'SC1010', '!', "token '!'"],
    ['SELECT * FROM c WHERE c.id = "open', 'SC1012', '"', 'string literal'],
    ['SELECT * FROM c WHERE c.id = "\\q"', 'SC1012', '"\\q"', 'string literal'],
    ['SELECT * FROM c WHERE c.id = "\\u00g0"', 'SC1012', '"\\u00g0"', 'string literal'],
    ['SELECT * FROM c WHERE d.id = 1', 'SC2001', 'd', "Identifier 'd'"],
    ['SELECT * FROM c WHERE C.id = 1', 'SC2001', 'C', "Identifier 'C'"],
    ['SELECT * FROM root r WHERE root.id = 1', 'SC2001', 'root', "Identifier 'root'"],
    ['SELECT c.id', 'SC2001', 'c', "Identifier 'c'"],
    ['SELECT * FROM c WHERE c.id = @id', 'SC2001', '@id', "Identifier '@id'"],
    ['SELECT TOP @n * FROM c', 'SC2001', '@n', "Identifier '@n'"],
    [
      'SELECT FullTextScore(c.a, "x") FROM c',
      'BadRequest',
      'FullTextScore(c.a, "x")',
      'only in ORDER BY RANK',
    ],
    ['SELECT STDEV(c.a) FROM c', 'SC2005', 'STDEV(c.a)', "'STDEV' is not"],
    ['SELECT * FROM c WHERE NoSuch(c.id)', 'SC2005', 'NoSuch(c.id)', "'NoSuch' is not"],
    ['SELECT * FROM c WHERE ABS()', 'SC2050', 'ABS()', 'ABS function requires 1 argument'],
    ['SELECT ABS(1, 2)', 'SC2050', 'ABS(1, 2)', 'requires 1 argument'],
    ['SELECT startswith("a")', 'SC2050', 'startswith("a")', 'STARTSWITH function requires 2 to 3'],
    ['SELECT CONCAT("a")', 'SC2050', 'CONCAT("a")', 'at least 2'],
    ['SELECT COUNT() FROM c', 'SC2050', 'COUNT()', 'COUNT function requires 1'],
    ['SELECT COUNT(1, 2) FROM c', 'SC2050', 'COUNT(1, 2)', 'requires 1'],
    ['SELECT *', 'BadRequest', '*', 'FROM'],
    ['SELECT c.id, c.a.id FROM c', 'BadRequest', 'c.a.id', "'id' is selected twice"],
    ['SELECT * FROM c ORDER BY LOWER(c.id)', 'BadRequest', 'LOWER(c.id)', 'document path'],
    ['SELECT * FROM c ORDER BY c', 'BadRequest', 'c', 'document path'],
    ['SELECT TOP 1.5 * FROM c', 'BadRequest', '1.5', 'TOP takes a whole number'],
    ['SELECT TOP @text * FROM c', 'BadRequest', '@text', 'not "x"'],
    ['SELECT TOP 1 * FROM c OFFSET 0 LIMIT @text', 'BadRequest', 'OFFSET 0 LIMIT @text', 'TOP and OFFSET'],
    ['SELECT * FROM c OFFSET 0 LIMIT @text', 'BadRequest', '@text', 'LIMIT takes'],
    ['SELECT c.id, COUNT(1) FROM c', 'BadRequest', 'c', 'within an aggregate'],
    ['SELECT COUNT(SUM(c.a)) FROM c', 'BadRequest', 'SUM(c.a)', 'not within another'],
    ['SELECT * FROM c WHERE COUNT(1) > 1', 'BadRequest', 'COUNT(1)', 'allowed only in SELECT'],
    [`SELECT ${'('.repeat(200)}1${')'.repeat(200)}`, 'BadRequest', '(', 'Nesting deeper than 100'],
    ['SELECT COUNT(1) FROM c ORDER BY LOWER(c.id)', 'BadRequest', 'LOWER(c.id)', 'document path'],
    ['SELECT * FROM c JOIN t IN c.tags', 'BadRequest', '*', 'single input set'],
    ['SELECT VALUE 1 FROM c JOIN c IN c.tags', 'SC2011', 'c', "alias 'c' is specified more than once"],
    ['SELECT VALUE 1 FROM c JOIN t IN d.tags', 'SC2001', 'd', "Identifier 'd'"],
    ['SELECT VALUE t FROM c JOIN t IN root.tags', 'SC2001', 'root', "Identifier 'root'"],
    [
      'SELECT VALUE t FROM c JOIN t IN c.tags ORDER BY t.name',
      'BadRequest',
      't.name',
      'correlated collections',
    ],
    ['SELECT VALUE t FROM t IN c.tags ORDER BY t.name', 'BadRequest', 't.name', 'correlated collections'],
    [
      'SELECT ARRAY(SELECT VALUE t FROM t IN c.a ORDER BY t.b) FROM c',
      'BadRequest',
      't.b',
      "'ORDER BY' is not",
    ],
    ['SELECT (SELECT TOP 1 VALUE 1) FROM c', 'BadRequest', 'SELECT TOP 1 VALUE 1', "'TOP' is not supported"],
    ['SELECT FIRST(SELECT 1 OFFSET 0 LIMIT 1)', 'BadRequest', 'OFFSET 0 LIMIT 1', "'OFFSET LIMIT' is not"],
    [
      'SELECT (SELECT VALUE t FROM t IN c.a) FROM c',
      'BadRequest',
      'SELECT VALUE t FROM t IN c.a',
      'cardinality',
    ],
    ['SELECT (SELECT VALUE d.a FROM d) FROM c', 'SC2001', 'd', "Identifier 'd'"],
    ['SELECT ANY(SELECT 1)', 'SC1001', 'SELECT 1', "near 'SELECT'"],
    ['SELECT * FROM c WHERE c.a IN (SELECT 1)', 'SC1001', 'SELECT', "near 'SELECT'"],
    ['SELECT * FROM c GROUP BY c.a', 'BadRequest', '*', "'SELECT *' is not valid with GROUP BY"],
    ['SELECT c.a FROM c GROUP BY c.b', 'BadRequest', 'c', 'a key of GROUP BY'],
    ['SELECT c.a FROM c GROUP BY COUNT(1)', 'BadRequest', 'COUNT(1)', 'not aggregates or subqueries'],
    ['SELECT c.a FROM c GROUP BY (SELECT VALUE c.a)', 'BadRequest', '(SELECT VALUE c.a)', 'or subqueries'],
    ['SELECT c.a FROM c GROUP BY c.a ORDER BY c.a', 'BadRequest', 'c.a', 'not allowed in one query'],
  ])('is rejected: %s with %s at %s', (text, code, place, reason) => {
    expect(refusalOf(text)).toMatchObject({
      code,
      status: 400,
      reason: expect.stringContaining(reason) as string,
    })
    expect(pointedAt(text)).toBe(place)
  })
})

describe('an unsupported query', () => {
  it.each<[string, string]>([
    ['SELECT udf.f(c.a) FROM c', 'A user-defined function'],
    ['SELECT * FROM c ORDER BY (c.a ?? c.b ? 1 : 2)', '?? beside ?:'],
    ['SELECT VALUE c.a ? c.b : c.c ?? 1 FROM c', '?? beside ?:'],
    ['SELECT VALUE 1 + 2 & 3', '+ beside &'],
    ['SELECT VALUE 1 & 2 | 3', '& beside |'],
    ['SELECT VALUE 1 << 2 * 3', '* beside <<'],
    ['SELECT * FROM c WHERE c.a & 1 = 1', '= beside &'],
    ['SELECT * FROM c WHERE true AND c.a & 1', '& beside AND'],
    ['SELECT * FROM c WHERE c.a & 1 IN (1)', '& beside IN'],
    ['SELECT * FROM c WHERE NOT c.a = 1', 'NOT before ='],
    ['SELECT * FROM c WHERE NOT c.a + 1', 'NOT before +'],
    ['SELECT * FROM c WHERE NOT c.a IN (1)', 'NOT before IN'],
    ['SELECT * FROM c WHERE NOT c.a BETWEEN 1 AND 2', 'NOT before BETWEEN'],
    ['SELECT * FROM c WHERE NOT c.a LIKE "x"', 'NOT before LIKE'],
    ['SELECT * FROM c WHERE c.a = 1 IN (true)', '= beside IN'],
    ['SELECT * FROM c WHERE c.a || "x" = "y"', '= beside ||'],
    ['SELECT VALUE { a: [UPPER(c.a || "x" < "y")] } FROM c', '< beside ||'],
    ['SELECT * FROM c WHERE true AND c.a || "x"', '|| beside AND'],
    ['SELECT VALUE (SELECT VALUE NOT c.a = 1) FROM c', 'NOT before ='],
  ])('is rejected: %s because of %s', (text, construct) => {
    const refusal = refusalOf(text)
    expect(refusal).toMatchObject({ code: 'NotSupported', status: 501 })
    expect(refusal.reason.startsWith(construct)).toBe(true)
  })

  it.each([
    '(c.a ?? c.b) ? true : false',
    'c.a ? (c.b ?? 1) : 2',
    'c.a ? c.b ?? 1 : 2',
    'NOT (c.a = 1)',
    '(NOT c.a) = 1',
    'NOT c.a AND c.b',
    '(c.a || "x") = "y"',
    'c.a LIKE "%" || "x"',
    '(c.a & 1) = 1',
    '1 & 2 & 3',
  ])('is not confused with the valid condition %s', (where) => {
    expect(() => compileQuery(`SELECT * FROM c WHERE ${where}`, [])).not.toThrow()
  })
})

describe('the error of a query', () => {
  it('has the service’s form', () => {
    expect(refusalOf('SELECT * FORM c').message).toBe(
      '{"errors":[{"severity":"Error","location":{"start":9,"end":13},"code":"SC1001","message":"Syntax error, incorrect syntax near \'FORM\'."}]}',
    )
  })

  it('does not affect the next query', () => {
    refusalOf('SELECT * FROM c JOIN t IN c.tags')
    refusalOf('SELECT * FROM c WHERE')
    expect(compileQuery('SELECT VALUE 1', []).execute([])).toEqual([1])
  })
})

describe('a long query', () => {
  it('may have thousands of terms', () => {
    const ids = Array.from({ length: 5000 }, (_, index) => index)
    const or = ids.map((id) => `c.id = ${id}`).join(' OR ')
    expect(
      compileQuery(`SELECT VALUE c.id FROM c WHERE ${or}`, []).execute([{ id: 4999 }, { id: 5000 }]),
    ).toEqual([4999])
    const list = ids.join(',')
    expect(
      compileQuery(`SELECT VALUE c.id FROM c WHERE c.id IN (${list})`, []).execute([{ id: 4999 }]),
    ).toEqual([4999])
  })
})

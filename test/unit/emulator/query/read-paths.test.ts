import { expect, it } from 'vitest'
import { compileQuery } from '../../../../src/emulator/query/index.js'

it.each([
  ["SELECT VALUE COUNT(1) FROM c WHERE c.type = 'a' AND c.state.name != 'b'", [['type'], ['state', 'name']]],
  ['SELECT c.a, c.b FROM c WHERE c["a"] > 1 ORDER BY c.a', [['a'], ['b']]],
  ['SELECT c.a, COUNT(1) AS n FROM c GROUP BY c.a', [['a']]],
  ['SELECT VALUE 1 FROM c', []],
])('%s reads only these paths', (text, paths) => {
  expect(compileQuery(text, []).readPaths).toEqual(paths)
})

it.each([
  'SELECT * FROM c',
  'SELECT VALUE c FROM c',
  'SELECT c.a, c.a.b FROM c',
  'SELECT VALUE c.list[0] FROM c',
  'SELECT VALUE c[c.name] FROM c',
  'SELECT VALUE l FROM c JOIN l IN c.list',
  'SELECT VALUE c FROM c IN r.list',
  'SELECT VALUE ARRAY(SELECT VALUE t FROM t IN c.tags) FROM c',
  'SELECT VALUE COUNT(1) FROM (SELECT c.a FROM c) AS x',
])('%s may read other values', (text) => {
  expect(compileQuery(text, []).readPaths).toBeNull()
})

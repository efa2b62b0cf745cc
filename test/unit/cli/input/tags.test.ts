import { expect, it } from 'vitest'
import { collected } from '../../../../src/cli/input/collected.js'
import { tagsOf, tagsText } from '../../../../src/cli/input/tags.js'

it('`--tag` may be repeated, and its value may contain equals signs', () => {
  const given = collected('b=c=d', collected('a=1'))
  expect(tagsOf(given)).toEqual({ tags: { a: '1', b: 'c=d' }, problems: [] })
  expect(tagsText(tagsOf(given).tags)).toBe('a=1, b=c=d')
  expect(tagsOf(undefined)).toEqual({ tags: {}, problems: [] })
})

it('all problems of `--tag` are reported together', () => {
  expect(tagsOf(['x', '=1', 'a=1', 'a=2', 'b=']).problems).toEqual([
    '--tag "x" must be NAME=VALUE, such as customer=4711',
    '--tag "=1" must be NAME=VALUE, such as customer=4711',
    '--tag a has two values; a job has one value for each name',
    expect.stringContaining('--tag: tags.b is ""; it must be') as string,
  ])
})

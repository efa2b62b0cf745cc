import { describe, expect, it } from 'vitest'
import { emptyNamesIn, fullFolders, longFiles, longFunctions } from './shape.js'
import { example } from './source.js'

const lines = (count: number, line = 'run()'): string => `${Array(count).fill(line).join('\n')}\n`

describe('the check of sizes', () => {
  it('refuses a folder of source with more than 20 files', () => {
    const folder = (count: number) =>
      Array.from({ length: count }, (_, index) => example(`src/a/f${index}.ts`, ''))
    expect(fullFolders(folder(20))).toEqual([])
    expect(fullFolders(folder(21))).toEqual(['src/a: 21 files; the limit is 20: make rooms'])
  })

  it('refuses a file with more than 300 lines and a test with more than 800', () => {
    expect(longFiles([example('src/a.ts', lines(300)), example('test/a.test.ts', lines(800))])).toEqual([])
    expect(longFiles([example('src/a.ts', lines(301)), example('test/a.test.ts', lines(801))])).toEqual([
      'src/a.ts: 301 lines; the limit is 300: split it by responsibility',
      'test/a.test.ts: 801 lines; the limit is 800: split it by responsibility',
    ])
  })

  it('refuses a function with more than 70 lines', () => {
    const judge = (body: string): string[] =>
      longFunctions([example('src/a.ts', `\nfunction f() {\n${body}}\n`)])
    expect(judge(lines(68))).toEqual([])
    expect(judge(lines(69))).toEqual(['src/a.ts:2: function of 71 lines; the limit is 70'])
  })

  it('measures methods and arrow functions too', () => {
    const method = `class A {\n  run() {\n${lines(69)}}\n}`
    const arrow = `const f = () => {\n${lines(69)}}`
    expect(longFunctions([example('src/a.ts', method), example('src/b.ts', arrow)])).toHaveLength(2)
  })

  it('counts no comments and empty lines of a function, but every line of a long text', () => {
    const judge = (body: string): string[] => longFunctions([example('src/a.ts', `function f() {\n${body}}`)])
    expect(
      judge(lines(50) + lines(50, '') + lines(50, '// why') + lines(10, '/** why\n * so */\ng()')),
    ).toEqual([])
    expect(judge(`return \`${lines(80, 'text')}\`\n`)).toHaveLength(1)
  })
})

describe('names', () => {
  it.each([
    'src/utils/retry.ts',
    'src/sas/types.ts',
    'lease-store/helpers.test.ts',
    'src/lib/a.ts',
    'docs/common.md',
  ])('that say nothing are refused: %s', (path) => {
    expect(emptyNamesIn([{ path, text: '' }])).toEqual([expect.stringContaining('says nothing')])
  })

  it('that only contain such a word are allowed', () => {
    const files = ['src/sas/model/documents.ts', 'src/emulator/content-types.ts', 'src/lease-library.ts']
    expect(emptyNamesIn(files.map((path) => ({ path, text: '' })))).toEqual([])
  })
})

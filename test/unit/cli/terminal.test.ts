import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { bar, table, terminalOf } from '../../../src/cli/terminal.js'

it('draws rows under a head, aligned, whatever the script', () => {
  const text = stripVTControlCharacters(
    table(
      ['NAME', 'N'],
      [
        ['日本', 1],
        ['Zoë', 20],
      ],
    ),
  )
  expect(text.split('\n')).toEqual(['NAME  N', '日本  1', 'Zoë   20'])
})

it('fills a bar by the share that is done', () => {
  expect([bar(0, 4, 4), bar(1, 4, 4), bar(4, 4, 4), bar(0, 0, 4)]).toEqual(['░░░░', '█░░░', '████', '████'])
})

it('keeps progress to terminals, results on standard output and remarks on standard error', () => {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const terminal = terminalOf({ stdout, stderr })
  terminal.progress('half')
  terminal.progressDone()
  terminal.print('result')
  terminal.note('remark')
  expect([stdout.read(), stderr.read()].map(String)).toEqual(['result\n', 'remark\n'])
})

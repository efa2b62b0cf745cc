import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { fitted } from '../../../../src/cli/output/fitted.js'
import {
  bar,
  shown,
  stateText,
  table,
  terminalOf,
  visible,
  warning,
  wrapped,
} from '../../../../src/cli/output/terminal.js'

it('a table aligns its cells in every script', () => {
  const text = shown(
    table(
      ['NAME', 'N'],
      [
        ['日本', 1],
        ['Zoë', 20],
      ],
    ),
    false,
  )
  expect(text.split('\n')).toEqual(['NAME  N', '日本  1', 'Zoë   20'])
})

it('a bar is filled by the share that is done', () => {
  expect([bar(0, 4, 4), bar(1, 4, 4), bar(4, 4, 4), bar(0, 0, 4)]).toEqual(['░░░░', '█░░░', '████', '████'])
})

it('a pipe gets results on standard output, remarks on standard error, and no progress', () => {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const terminal = terminalOf({ stdout, stderr })
  terminal.progress('half')
  terminal.progressDone()
  terminal.print('result')
  terminal.note('remark')
  expect([stdout.read(), stderr.read()].map(String)).toEqual(['result\n', 'remark\n'])
})

it('a terminal that does not know its size has 80 columns and 24 lines', () => {
  const unknown = Object.assign(new PassThrough(), { isTTY: true, columns: 0, rows: 0 })
  const terminal = terminalOf({ stdout: unknown, stderr: unknown })
  const { width, tableWidth, height } = terminal
  expect({ width, tableWidth, height }).toEqual({ width: 80, tableWidth: 80, height: 24 })
  terminal.note('two words')
  expect(String(unknown.read())).toBe('two words\n')
})

it('control characters are escaped, and JSON keeps its meaning', () => {
  const id = 'A\u001b]0;title\u0007\u001b[2J\r\u009b1m\u202e'
  expect(visible(id)).toBe('A\\u001b]0;title\\u0007\\u001b[2J\\u000d\\u009b1m\\u202e')
  const json = JSON.stringify({ id })
  expect(JSON.parse(visible(json))).toEqual({ id })
  expect(visible(`${stateText('Error')}\nnext`)).toBe(`${stateText('Error')}\nnext`)
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const terminal = terminalOf({ stdout, stderr })
  terminal.print(id)
  terminal.note(id)
  expect([stdout.read(), stderr.read()].map(String).join('')).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u)
})

const red = '\u001b[31mred\u001b[0m'
const writtenOut = '\\u001b[31mred\\u001b[0m'

it('only the CLI’s own colours are shown; those in an id or a message are escaped before measuring', () => {
  for (const isColoured of [true, false]) {
    expect(shown(`${red}\u001b[8m`, isColoured)).toBe(`${writtenOut}\\u001b[8m`)
    expect(shown(wrapped(`${red} next`, writtenOut.length, ''), isColoured)).toBe(`${writtenOut}\nnext`)
    expect(fitted(['A'], [[red]], Infinity)).toEqual([[writtenOut]])
    const rows = shown(table(['A', 'B'], [[red, 1]]), isColoured).split('\n')
    expect(rows[1]).toBe(`${writtenOut}  1`)
    const cell = shown(table(['STATE', 'B'], [[stateText('Error'), 1]]), isColoured).split('\n')[1]
    expect(cell).toBe(isColoured ? '\u001b[31mError\u001b[39m  1' : 'Error  1')
  }
  expect(shown(`${stateText('Error')} ${warning(red)}`, true)).toBe(
    `\u001b[31mError\u001b[39m \u001b[33m${writtenOut}\u001b[39m`,
  )
})

it('a pipe gets no colours', () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const terminal = terminalOf({ stdout, stderr })
  terminal.print(warning(stateText('Error')))
  terminal.note(warning(stateText('Error')))
  expect([stdout.read(), stderr.read()].map(String)).toEqual(['Error\n', 'Error\n'])
})

it('a cell has one line even if an id has two', () => {
  expect(table(['JOB'], [['A\nB']]).split('\n')).toHaveLength(2)
})

it('tables are cut on a terminal only', () => {
  const streams = (isTTY: boolean) => {
    const stdout = Object.assign(new PassThrough(), { isTTY, columns: isTTY ? 40 : undefined })
    return terminalOf({ stdout: stdout as never, stderr: new PassThrough() })
  }
  expect([streams(true).tableWidth, streams(false).tableWidth]).toEqual([40, Infinity])
  const long = 'x'.repeat(200)
  expect(fitted(['A'], [[long]], streams(false).tableWidth)).toEqual([[long]])
})

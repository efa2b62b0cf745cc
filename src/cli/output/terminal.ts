import Table from 'cli-table3'
import { createLogUpdate } from 'log-update'
import picocolors from 'picocolors'
import { createInterface } from 'node:readline/promises'
import type { Writable } from 'node:stream'
import { systemRandom } from '../../platform/internal.js'

export interface Terminal {
  print(text: string): void
  /** Prints a remark to standard error. */
  note(text: string): void
  /** Shows progress on a terminal, in place of earlier progress. Without a terminal, prints nothing. */
  progress(text: string): void
  /** Keeps the last progress on the screen. */
  progressDone(): void
  readonly isInteractive: boolean
  /** The width of the terminal in columns, or 80 if the output is not a terminal. */
  readonly width: number
  /**
   * The number of columns that a table may use. It is `Infinity` without a terminal, so that a script gets
   * the whole table.
   */
  readonly tableWidth: number
  /** Asks a yes-or-no question on the terminal. Resolves with true for yes. */
  confirm(question: string): Promise<boolean>
  /** The height of the terminal in lines, or 24 if the output is not a terminal. */
  readonly height: number
}

export interface Streams {
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number }
}

export function terminalOf({ stdout, stderr }: Streams): Terminal {
  const isInteractive = stdout.isTTY === true
  const width = sizeOr(80, stdout.columns)
  const live = isInteractive ? createLogUpdate(stdout as NodeJS.WritableStream) : null
  // A pipe gets no colours, even if the environment asks for them, because build servers ask every tool for
  // colours.
  const hasColours = (to: { readonly isTTY?: boolean }): boolean =>
    to.isTTY === true && picocolors.isColorSupported
  const result = (text: string): string => shown(text, hasColours(stdout))
  const remark = (text: string): string => shown(text, hasColours(stderr))
  return {
    print: (text) => void stdout.write(`${result(text)}\n`),
    note: (text) => void stderr.write(`${remark(remarkFor(stderr, text))}\n`),
    progress: (text) => live?.(result(text)),
    progressDone: () => live?.done(),
    isInteractive,
    width,
    tableWidth: isInteractive ? width : Infinity,
    confirm: async (question) => {
      const asking = createInterface({ input: process.stdin, output: stderr })
      try {
        return /^y(es)?$/i.test((await asking.question(`${remark(question)} [y/N] `)).trim())
      } finally {
        asking.close()
      }
    },
    height: sizeOr(24, stdout.rows),
  }
}

/**
 * Escapes characters that could control a terminal or reorder its text, because ids and messages come from
 * outside. Keeps line ends, and the marks by which this file colours text. The escapes are those of JSON, so
 * printed JSON keeps its meaning.
 */
export function visible(text: string): string {
  return text.replaceAll(commanding, (sign) =>
    sign.length > 1 ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Escapes text for a stream, and turns our marks into colours or removes them. */
export function shown(text: string, isColoured: boolean): string {
  return visible(text).replaceAll(anyMark, (_, code: string) =>
    isColoured ? `${escape}[${Number(code) - unknownToTables}m` : '',
  )
}

const escape = String.fromCharCode(27)
/** Random numbers of this process. Text from outside cannot contain them, so it cannot look like a mark. */
const ours = Array.from({ length: 3 }, () => 1_000 + Math.floor(systemRandom.next() * 9_000)).join(';')
/** The number added to a colour's code in a mark, because tables change the codes that they know. */
const unknownToTables = 1_000
/**
 * Matches a mark, which becomes a colour later. Tables give a mark no width, because it looks like a colour
 * code.
 */
const anyMark = new RegExp(`${escape}\\[(\\d+);${ours}m`, 'gu')
/** Matches one of our marks, or a character that controls terminals. */
const commanding = new RegExp(
  `${escape}\\[\\d+;${ours}m|(?!\\n)[\\p{Cc}\\u202a-\\u202e\\u2066-\\u2069]`,
  'gu',
)

const styles = { bold: [1, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

function marked(style: keyof typeof styles, text: string): string {
  const [begin, end] = styles[style].map((code) => `${escape}[${code + unknownToTables};${ours}m`)
  return `${begin}${text}${end}`
}

/** Returns a size of a terminal, or the default. A terminal that does not know its size reports 0. */
function sizeOr(defaultSize: number, reported = 0): number {
  return reported > 0 ? reported : defaultSize
}

/**
 * Wraps a remark to the width of a terminal. Without a terminal, keeps one line, which is easier to search.
 */
function remarkFor(stderr: Streams['stderr'], text: string): string {
  return stderr.isTTY === true && !text.includes('\n') ? wrapped(text, sizeOr(80, stderr.columns), '') : text
}

/** Returns a table with a heading. It has no ruled lines, so that users can paste it easily. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const blank = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '' }
  const none = { 'bottom-left': '', 'bottom-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '' }
  const drawn = new Table({
    head: head.map((text) => marked('bold', text)),
    chars: { ...blank, ...none, right: '', 'right-mid': '', middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  })
  drawn.push(...rows.map((row) => row.map((cell) => visible(String(cell).replaceAll('\n', '\\n')))))
  return drawn
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Breaks text between words into lines of at most `width` characters, each of which begins with `indent`. */
export function wrapped(text: string, width: number, indent: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of visible(text).split(/[ \n]/u)) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(line)
      line = ''
    }
    line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((each) => `${indent}${each}`).join('\n')
}

const mostNames = 20

/** Returns the first `mostNames` names of a list, and the number of the remaining names. */
export function firstOf(names: readonly string[]): string {
  const left = names.length - mostNames
  return [...names.slice(0, mostNames), ...(left > 0 ? [`and ${left} more`] : [])].join(' ')
}

/** Draws a bar of `width` characters, filled in the proportion of `done` to `total`. */
export function bar(done: number, total: number, width: number): string {
  const filled = total === 0 ? width : Math.round((done / total) * width)
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)}`
}

export function stateText(state: string): string {
  if (state === 'Processed') return marked('green', state)
  if (state === 'Error') return marked('red', state)
  return state === 'Processing' ? marked('cyan', state) : state
}

/** Marks text that asks a person to act. */
export function warning(text: string): string {
  return marked('yellow', text)
}

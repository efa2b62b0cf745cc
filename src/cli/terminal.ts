import Table from 'cli-table3'
import { createLogUpdate } from 'log-update'
import picocolors from 'picocolors'
import { createInterface } from 'node:readline/promises'
import type { Writable } from 'node:stream'
import { isatty } from 'node:tty'

// A pipe gets no colours, also where a build server's environment asks every tool for them.
const colors = picocolors.createColors(picocolors.isColorSupported && isatty(process.stdout.fd))

/** The output of a command. */
export interface Terminal {
  /** Prints a result, on standard output. */
  print(text: string): void
  /** Prints a remark, on standard error. */
  note(text: string): void
  /** Shows how far something is: replaces itself on a terminal, is left out elsewhere. */
  progress(text: string): void
  /** Leaves the last progress standing. */
  progressDone(): void
  readonly isInteractive: boolean
  /** Columns of the terminal; 80 where there is none. */
  readonly width: number
  /** Columns that a table may take. Infinite without a terminal, because a script needs the whole table. */
  readonly tableWidth: number
  /** Asks a person on a terminal; resolves to whether the answer is yes. */
  confirm(question: string): Promise<boolean>
  /** Lines of the terminal; 24 where there is none. */
  readonly height: number
}

/** The streams of a process. */
export interface Streams {
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number }
}

/** The terminal of this process. */
export function terminalOf({ stdout, stderr }: Streams): Terminal {
  const isInteractive = stdout.isTTY === true
  const live = isInteractive ? createLogUpdate(stdout as NodeJS.WritableStream) : null
  return {
    print: (text) => void stdout.write(`${visible(text)}\n`),
    note: (text) => void stderr.write(`${visible(remarkFor(stderr, text))}\n`),
    progress: (text) => live?.(visible(text)),
    progressDone: () => live?.done(),
    isInteractive,
    width: stdout.columns ?? 80,
    tableWidth: isInteractive ? (stdout.columns ?? 80) : Infinity,
    confirm: async (question) => {
      const asking = createInterface({ input: process.stdin, output: stderr })
      try {
        return /^y(es)?$/i.test((await asking.question(`${visible(question)} [y/N] `)).trim())
      } finally {
        asking.close()
      }
    },
    height: stdout.rows ?? 24,
  }
}

/**
 * Escapes characters that could control a terminal or reorder its text, because ids and messages come from outside. Line
 * ends and our own colours stay. The escapes are those of JSON, so that printed JSON keeps its meaning.
 */
export function visible(text: string): string {
  return text.replaceAll(commanding, (found) => {
    const [sign = '', ...rest] = found
    if (rest.length > 0 && sign === escape) return found
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}${rest.join('')}`
  })
}

const escape = String.fromCharCode(27)
/** One of our own colours, or a character that controls terminals. */
const commanding = /\p{Cc}\[(?:1|22|3[1236]|39)m|(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/** Wraps a remark on a terminal. Elsewhere it stays one line, which is easier to search. Existing lines are kept. */
function remarkFor({ isTTY, columns = 80 }: Streams['stderr'], text: string): string {
  return isTTY === true && !text.includes('\n') ? wrapped(text, columns, '') : text
}

/** Rows under a head, without lines: what reads well and pastes well. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const blank = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '' }
  const none = { 'bottom-left': '', 'bottom-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '' }
  const drawn = new Table({
    head: head.map((text) => colors.bold(text)),
    chars: { ...blank, ...none, right: '', 'right-mid': '', middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  })
  drawn.push(...rows.map((row) => row.map((cell) => String(cell).replaceAll('\n', ' '))))
  return drawn
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Text in lines of at most `width` characters, broken between words, each after `indent`. */
export function wrapped(text: string, width: number, indent: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/[ \n]/u)) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(line)
      line = ''
    }
    line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((each) => `${indent}${each}`).join('\n')
}

/** The most names in a row: more would not be read. */
const mostNames = 20

/** The first of many names, and how many more there are. */
export function firstOf(names: readonly string[]): string {
  const left = names.length - mostNames
  return [...names.slice(0, mostNames), ...(left > 0 ? [`and ${left} more`] : [])].join(' ')
}

/** A bar of `width` characters, filled by `done` of `total`. */
export function bar(done: number, total: number, width: number): string {
  const filled = total === 0 ? width : Math.round((done / total) * width)
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)}`
}

/** A state in its colour. */
export function stateText(state: string): string {
  if (state === 'Processed') return colors.green(state)
  if (state === 'Error') return colors.red(state)
  return state === 'Processing' ? colors.cyan(state) : state
}

/** Words that ask for a person. */
export function warning(text: string): string {
  return colors.yellow(text)
}

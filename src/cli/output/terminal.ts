import Table from 'cli-table3'
import { createLogUpdate } from 'log-update'
import picocolors from 'picocolors'
import { createInterface } from 'node:readline/promises'
import type { Writable } from 'node:stream'
import { systemRandom } from '../../platform/index.js'

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
  // A pipe gets no colours, also where a build server's environment asks every tool for them.
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
    width: stdout.columns ?? 80,
    tableWidth: isInteractive ? (stdout.columns ?? 80) : Infinity,
    confirm: async (question) => {
      const asking = createInterface({ input: process.stdin, output: stderr })
      try {
        return /^y(es)?$/i.test((await asking.question(`${remark(question)} [y/N] `)).trim())
      } finally {
        asking.close()
      }
    },
    height: stdout.rows ?? 24,
  }
}

/**
 * Escapes characters that could control a terminal or reorder its text, because ids and messages come from outside. Line
 * ends and our own marks stay. The escapes are those of JSON, so that printed JSON keeps its meaning.
 */
export function visible(text: string): string {
  return text.replaceAll(commanding, (sign) =>
    sign.length > 1 ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Escapes a text for a stream, and turns our marks into colours, or removes them. */
export function shown(text: string, isColoured: boolean): string {
  return visible(text).replaceAll(anyMark, (_, code: string) =>
    isColoured ? `${escape}[${Number(code) - unknownToTables}m` : '',
  )
}

const escape = String.fromCharCode(27)
/** Random numbers of this process. No text from outside has them, so none can pass for a mark. */
const ours = Array.from({ length: 3 }, () => 1_000 + Math.floor(systemRandom.next() * 9_000)).join(';')
/** Added to the code of a colour in its mark, because tables repeat and close the colours that they know. */
const unknownToTables = 1_000
/** A mark, which becomes a colour when it is printed. It is written like one, so that tables give it no width. */
const anyMark = new RegExp(`${escape}\\[(\\d+);${ours}m`, 'gu')
/** One of our marks, or a character that controls terminals. */
const commanding = new RegExp(
  `${escape}\\[\\d+;${ours}m|(?!\\n)[\\p{Cc}\\u202a-\\u202e\\u2066-\\u2069]`,
  'gu',
)

/** The codes that begin and end each style. */
const styles = { bold: [1, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

function marked(style: keyof typeof styles, text: string): string {
  const [begin, end] = styles[style].map((code) => `${escape}[${code + unknownToTables};${ours}m`)
  return `${begin}${text}${end}`
}

/** Wraps a remark on a terminal. Elsewhere it stays one line, which is easier to search. Existing lines are kept. */
function remarkFor({ isTTY, columns = 80 }: Streams['stderr'], text: string): string {
  return isTTY === true && !text.includes('\n') ? wrapped(text, columns, '') : text
}

/** Rows under a head, without lines: what reads well and pastes well. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const blank = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '' }
  const none = { 'bottom-left': '', 'bottom-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '' }
  const drawn = new Table({
    head: head.map((text) => marked('bold', text)),
    chars: { ...blank, ...none, right: '', 'right-mid': '', middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  })
  drawn.push(...rows.map((row) => row.map((cell) => visible(String(cell).replaceAll('\n', ' ')))))
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
  for (const word of visible(text).split(/[ \n]/u)) {
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
  if (state === 'Processed') return marked('green', state)
  if (state === 'Error') return marked('red', state)
  return state === 'Processing' ? marked('cyan', state) : state
}

/** Words that ask for a person. */
export function warning(text: string): string {
  return marked('yellow', text)
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Everything a newcomer reads; paths from the root. Decisions and tables of requirements are for those who change it. */
export const pagePaths: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

export function pageText(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** A fenced block: its language, what else its first line says, and what is in it. */
export interface Block {
  readonly language: string
  /** A file's name where a reader saves it; `azure` or `checkout` where it does not run in a project of one's own. */
  readonly note: string
  readonly text: string
}

export function blocksOf(path: string): readonly Block[] {
  return [...pageText(path).matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gmsu)].map(
    ([, language = '', note = '', text = '']) => ({ language, note, text }),
  )
}

/** The texts of a page's blocks in this language. */
export function textsIn(path: string, language: string, note?: string): readonly string[] {
  return blocksOf(path)
    .filter((block) => block.language === language && (note === undefined || block.note === note))
    .map(({ text }) => text)
}

/** The cells of every row of the table whose head begins with these words; code marks are left out. */
export function tableOf(path: string, head: readonly string[]): readonly (readonly string[])[] {
  const lines = pageText(path).split('\n')
  const start = lines.findIndex((line) => head.every((word, index) => cellsOf(line)[index] === word))
  if (start < 0) throw new Error(`${path} has no table with the head ${head.join(' | ')}`)
  const rows = lines.slice(start + 2)
  const end = rows.findIndex((line) => !line.startsWith('|'))
  return rows.slice(0, end < 0 ? rows.length : end).map(cellsOf)
}

function cellsOf(line: string): readonly string[] {
  if (!line.startsWith('|')) return []
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('`', ''))
}

/** A line of a terminal without what is said about it after `#`, and the exit code that this announces. */
export function commandIn(line: string): { readonly command: string; readonly code: number } {
  const [, command = line, remark = ''] = /^(.*?)\s+# (.*)$/u.exec(line) ?? []
  return { command, code: Number(/^exit code (\d)/u.exec(remark)?.[1] ?? 0) }
}

/** The commands of a block, one a line. */
export function commandsOf(text: string): readonly string[] {
  return text
    .replaceAll('\\\n', '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
}

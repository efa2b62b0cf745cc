import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** The pages that users and newcomers read, by path from the root. Decision records are not among them. */
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

/** A fenced block: its language, the rest of its first line, and its text. */
export interface Block {
  readonly language: string
  /**
   * The name of the file to save it in, or `azure` or `checkout` if it does not run in a project of the
   * reader.
   */
  readonly note: string
  readonly text: string
}

export function blocksOf(path: string): readonly Block[] {
  return [...pageText(path).matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gmsu)].map(
    ([, language = '', note = '', text = '']) => ({ language, note, text }),
  )
}

/** Returns the texts of a page's blocks in this language. */
export function textsIn(path: string, language: string, note?: string): readonly string[] {
  return blocksOf(path)
    .filter((block) => block.language === language && (note === undefined || block.note === note))
    .map(({ text }) => text)
}

export const workflowsPage = 'docs/workflows.md'
export const recipesPage = 'docs/how-do-i.md'
export const clientPage = 'docs/client.md'

/** The pages whose examples all use the agents of their first example. */
const pagesWithAgents: readonly string[] = [workflowsPage, recipesPage, clientPage]

/** Returns the examples in TypeScript of a page as modules. */
export function programsIn(path: string): readonly string[] {
  const [first = '', ...others] = textsIn(path, 'ts')
  if (!pagesWithAgents.includes(path)) return textsIn(path, 'ts')
  return [first, ...others.map((text) => `${first}\n${withoutImportsOf(first, text)}`)]
}

const importLine = /import \{ (.*) \} from 'stepward'\n/u

/** Returns a program without the names that the program before it imports. */
function withoutImportsOf(first: string, text: string): string {
  const known = importLine.exec(first)?.[1]?.split(', ') ?? []
  return text.replace(importLine, (_line, names: string) => {
    const left = names.split(', ').filter((name) => !known.includes(name))
    return left.length === 0 ? '' : `import { ${left.join(', ')} } from 'stepward'\n`
  })
}

/** Returns the cells of every row of the table whose head begins with these words, without code marks. */
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

/** Returns a terminal line without the remark after `#`, and the exit code that the remark announces. */
export function commandIn(line: string): { readonly command: string; readonly code: number } {
  const [, command = line, remark = ''] = /^(.*?)\s+# (.*)$/u.exec(line) ?? []
  return { command, code: Number(/^exit code (\d)/u.exec(remark)?.[1] ?? 0) }
}

/** Returns the commands of a block, one for each line. */
export function commandsOf(text: string): readonly string[] {
  return text
    .replaceAll('\\\n', '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
}

import ts from 'typescript'
import { nodesOf, offence, type Source, type TextFile } from './source.js'

const maxFileLines = 300
const maxTestFileLines = 800
const maxFunctionLines = 70
const maxFolderFiles = 20

const emptyNames = /^(utils?|commons?|helpers?|libs?|types|managers?)$/

/** Returns files that are too long for one responsibility. */
export function longFiles(sources: readonly TextFile[]): string[] {
  return sources.flatMap(({ path, text }) => {
    const limit = path.startsWith('test/') ? maxTestFileLines : maxFileLines
    const lines = text.replace(/\n$/, '').split('\n').length
    return lines > limit ? [`${path}: ${lines} lines; the limit is ${limit}: split it by responsibility`] : []
  })
}

/** Returns folders of source with too many files for one room. */
export function fullFolders(sources: readonly TextFile[]): string[] {
  const counts = new Map<string, number>()
  for (const { path } of sources) {
    const folder = path.slice(0, path.lastIndexOf('/'))
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts].flatMap(([folder, count]) =>
    count > maxFolderFiles ? [`${folder}: ${count} files; the limit is ${maxFolderFiles}: make rooms`] : [],
  )
}

/** Returns functions that are too long for one responsibility. Comments and empty lines do not count. */
export function longFunctions(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    [...nodesOf(source)].flatMap((node) => {
      const lines = ts.isFunctionLike(node) ? linesOfCode(source, node) : 0
      if (lines <= maxFunctionLines) return []
      return [offence(source, node, `function of ${lines} lines; the limit is ${maxFunctionLines}`)]
    }),
  )
}

/** Counts the lines that the tokens of the node cover. */
function linesOfCode({ syntax }: Source, node: ts.Node): number {
  const lines = new Set<number>()
  const open = [node]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const children = next.getChildren(syntax).filter((child) => !ts.isJSDoc(child))
    open.push(...children)
    if (children.length > 0 || next.getWidth(syntax) === 0) continue
    const first = syntax.getLineAndCharacterOfPosition(next.getStart(syntax)).line
    const last = syntax.getLineAndCharacterOfPosition(next.getEnd()).line
    for (let line = first; line <= last; line += 1) lines.add(line)
  }
  return lines.size
}

/** Returns files and folders whose names say nothing about their content. */
export function emptyNamesIn(files: readonly TextFile[]): string[] {
  return files.flatMap(({ path }) =>
    path
      .split('/')
      .filter((part) => emptyNames.test(part.replace(/\..*$/, '')))
      .map((part) => `${path}: "${part}" says nothing about what is inside; name the responsibility`),
  )
}

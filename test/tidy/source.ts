import ts from 'typescript'

/** A tracked file: its path from the repository's root, with forward slashes, and its text. */
export interface TextFile {
  readonly path: string
  readonly text: string
}

/** A file of code, parsed. */
export interface Source extends TextFile {
  readonly syntax: ts.SourceFile
}

/** Parses one file of code. Its path decides which rules apply. */
export function parse(file: TextFile): Source {
  const syntax = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true)
  return { ...file, syntax }
}

/** Parses an example of a test. */
export function example(path: string, text: string): Source {
  return parse({ path, text })
}

/** Formats a message with the line of the node, as a link that a person can click. */
export function offence(source: Source, node: ts.Node, message: string): string {
  const { line } = source.syntax.getLineAndCharacterOfPosition(node.getStart(source.syntax))
  return `${source.path}:${line + 1}: ${message}`
}

/** Yields every node of a file, outer ones first. Comments are not nodes, so rules do not apply to them. */
export function* nodesOf(source: Source): Generator<ts.Node> {
  const open: ts.Node[] = [source.syntax]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node
    const children: ts.Node[] = []
    ts.forEachChild(node, (child) => {
      children.push(child)
    })
    open.push(...children.reverse())
  }
}

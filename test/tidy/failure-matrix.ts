import ts from 'typescript'
import { nodesOf, type Source, type TextFile } from './source.js'

/** One line of docs/failure-matrix.md. */
interface Row {
  readonly id: string
  readonly concerns: readonly string[]
}

/** The parts that are built: each of their rows has a test of that name. */
const builtParts: readonly string[] = ['processor', 'dead letter', 'estimator']

const tests = new Set(['describe', 'it', 'test'])

/** Rows of the failure matrix that concern a part that is built and that no test names. */
export function untestedRows(matrix: TextFile, sources: readonly Source[], parts = builtParts): string[] {
  const named = new Set(sources.flatMap((source) => [...idsNamedIn(source)]))
  return rowsOf(matrix)
    .filter(({ id, concerns }) => !named.has(id) && concerns.some((part) => parts.includes(part)))
    .map(({ id }) => `${matrix.path}: no test has ${id} in its name; write it, breaking the code once`)
}

/** Ids that tests have in their names and the matrix does not know. */
export function unknownRows(matrix: TextFile, sources: readonly Source[]): string[] {
  const known = new Set(rowsOf(matrix).map(({ id }) => id))
  return sources.flatMap((source) =>
    [...idsNamedIn(source)]
      .filter((id) => !known.has(id))
      .map((id) => `${source.path}: ${id} is not in ${matrix.path}`),
  )
}

function rowsOf({ text }: TextFile): Row[] {
  return [...text.matchAll(/^\| (F-[A-Z]\d+|I\d+) +\| ([^|]+) \|/gm)].map(([, id = '', concerns = '']) => ({
    id,
    concerns: concerns.split(',').map((part) => part.trim()),
  }))
}

/** In the titles of tests, and in the tables that `each` makes titles of; not in what a test does. */
function* idsNamedIn(source: Source): Generator<string> {
  for (const node of nodesOf(source)) {
    if (!ts.isStringLiteralLike(node) && !ts.isTemplateHead(node)) continue
    if (isName(node)) yield* node.text.match(/\bF-[A-Z]\d+\b|\bI\d+\b/g) ?? []
  }
}

function isName(node: ts.Node): boolean {
  for (let { parent } = node; !ts.isSourceFile(parent); { parent } = parent) {
    if (ts.isFunctionLike(parent)) return false
    if (ts.isCallExpression(parent) && tests.has(headOf(parent))) return true
  }
  return false
}

/** `it` of `it('…')`, `it.each(table)` and `it.each(table)('…')`. */
function headOf({ expression }: ts.CallExpression): string {
  let head: ts.Expression = expression
  while (ts.isPropertyAccessExpression(head) || ts.isCallExpression(head)) head = head.expression
  return ts.isIdentifier(head) ? head.text : ''
}

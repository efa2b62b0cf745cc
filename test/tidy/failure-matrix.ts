import ts from 'typescript'
import { nodesOf, type Source, type TextFile } from './source.js'

/** Rows that no test names, each with the reason. */
export const excusedRows: Readonly<Record<string, string>> = {
  'F-S14': 'nothing here reads a queue; who does keeps what it cannot read',
  'F-Q9': 'a scheduler runs nothing itself, so nothing of it is ever full',
  'F-X16': 'hosts do not know each other’s intervals; docs say that they must agree',
  'F-K12':
    'a workflow without an undo that its policy needs is refused, and outputs are bounded when they are stored',
  'F-X22': 'nothing depends on what another instance runs on',
}

const tests = new Set(['describe', 'it', 'test'])

/** Returns the rows of the failure matrix that no test names, and excuses for rows that do not exist. */
export function untestedRows(matrix: TextFile, sources: readonly Source[], excuses = excusedRows): string[] {
  const named = new Set(sources.flatMap((source) => [...idsNamedIn(source)]))
  const rows = rowsOf(matrix)
  const missing = rows
    .filter((id) => !named.has(id) && excuses[id] === undefined)
    .map((id) => `${matrix.path}: no test has ${id} in its name; write it, breaking the code once`)
  const idle = Object.keys(excuses)
    .filter((id) => !rows.includes(id))
    .map((id) => `${matrix.path}: ${id} is excused and does not exist`)
  return [...missing, ...idle]
}

/** Returns the ids in the titles of tests that no list contains. */
export function unknownRows(lists: readonly TextFile[], sources: readonly Source[]): string[] {
  const known = new Set(lists.flatMap(rowsOf))
  return sources.flatMap((source) =>
    [...idsNamedIn(source)]
      .filter((id) => !known.has(id))
      .map((id) => `${source.path}: ${id} is not in ${lists.map(({ path }) => path).join(' or ')}`),
  )
}

/** Returns the ids in the first column of tables. */
export function rowsOf({ text }: TextFile): string[] {
  return [...text.matchAll(/^\| (F-[A-Z]\d+|[BIR]\d+) +\|/gm)].map(([, id = '']) => id)
}

/**
 * Yields the ids of rows, invariants, requirements and behaviours in the titles of tests and in the tables of
 * `each`, but not those in the bodies of tests.
 */
export function* idsNamedIn(source: Source): Generator<string> {
  for (const node of nodesOf(source)) {
    if (!ts.isStringLiteralLike(node) && !ts.isTemplateHead(node)) continue
    if (isName(node)) yield* node.text.match(/\bF-[A-Z]\d+\b|\b[BIR]\d+\b/g) ?? []
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

import { posix } from 'node:path'
import ts from 'typescript'
import { nodesOf, type Source } from './source.js'

/** One import or re-export of a module. */
export interface Import {
  readonly node: ts.Node
  /** As written: `../platform/index.js`, `zod`. */
  readonly specifier: string
  /** Whether it disappears when compiled: `import type`, or every name marked `type`. */
  readonly isTypeOnly: boolean
  /** The imported names, or null for a whole module (`* as`, default, side effect, `import()`). */
  readonly names: readonly string[] | null
}

/** Returns every import of a file, in any syntax of the language. */
export function importsOf(source: Source): readonly Import[] {
  const found: Import[] = []
  for (const node of nodesOf(source)) {
    const entry = importAt(node)
    if (entry !== null) found.push(entry)
  }
  return found
}

function importAt(node: ts.Node): Import | null {
  if (ts.isImportDeclaration(node)) return declared(node, node.moduleSpecifier, clauseOf(node.importClause))
  if (ts.isExportDeclaration(node)) return declared(node, node.moduleSpecifier, exportOf(node))
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return declared(node, node.argument.literal, { isTypeOnly: !node.isTypeOf, names: null })
  }
  if (ts.isCallExpression(node) && isLoading(node.expression)) {
    return declared(node, node.arguments[0], { isTypeOnly: false, names: null })
  }
  return null
}

type Taken = Pick<Import, 'isTypeOnly' | 'names'>

function declared(node: ts.Node, specifier: ts.Node | undefined, taken: Taken): Import | null {
  if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return null
  return { node, specifier: specifier.text, ...taken }
}

function clauseOf(clause: ts.ImportClause | undefined): Taken {
  if (clause === undefined) return { isTypeOnly: false, names: null }
  const bindings = clause.namedBindings
  const isWhole = clause.name !== undefined || bindings === undefined || ts.isNamespaceImport(bindings)
  const isTypeOnly = clause.phaseModifier === ts.SyntaxKind.TypeKeyword
  return isWhole ? { isTypeOnly, names: null } : named(isTypeOnly, bindings.elements)
}

function exportOf(node: ts.ExportDeclaration): Taken {
  const clause = node.exportClause
  if (clause === undefined || ts.isNamespaceExport(clause))
    return { isTypeOnly: node.isTypeOnly, names: null }
  return named(node.isTypeOnly, clause.elements)
}

function named(isTypeOnly: boolean, elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[]): Taken {
  const areAllTypes = elements.length > 0 && elements.every((element) => element.isTypeOnly)
  const names = elements.map((element) => (element.propertyName ?? element.name).text)
  return { isTypeOnly: isTypeOnly || areAllTypes, names }
}

function isLoading(callee: ts.Expression): boolean {
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require')
}

/** Returns the path of a relative specifier from the repository's root, or null for a package. */
export function resolveImport(from: string, specifier: string): string | null {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : null
}

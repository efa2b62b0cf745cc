import {
  childrenOf,
  documentAlias,
  expressionsOf,
  pathOf,
  rootOf,
  type Expression,
  type Query,
} from '../language/ast.js'

type Steps = readonly string[]

/**
 * Returns the paths of all values of documents that a query reads, if each of them is a path of names, and none
 * is inside another. Returns null for every other query, for example if it returns whole documents.
 */
export function readPathsOf(query: Query): readonly Steps[] | null {
  const alias = documentAlias(query)
  const isPlain = query.sources.length === 1 && query.selection.kind !== 'all' && query.rank === undefined
  if (alias === undefined || !isPlain) return null
  const byName = new Map<string, Steps>()
  for (const expression of expressionsOf(query)) {
    if (!addPaths(expression, alias, byName)) return null
  }
  const paths = [...byName.values()]
  return paths.some((path) => paths.some((other) => isInside(other, path))) ? null : paths
}

/** Adds the paths that an expression reads. Returns false if it reads anything else of a document. */
function addPaths(expression: Expression, alias: string, byName: Map<string, Steps>): boolean {
  const path = rootOf(expression) === alias ? pathOf(expression) : undefined
  if (path === undefined) {
    const isOther = expression.kind === 'source' || expression.kind === 'subquery'
    return !isOther && childrenOf(expression).every((child) => addPaths(child, alias, byName))
  }
  const names = path.filter((step) => typeof step === 'string')
  if (names.length === 0 || names.length < path.length) return false
  byName.set(JSON.stringify(names), names)
  return true
}

function isInside(path: Steps, outer: Steps): boolean {
  return path.length > outer.length && outer.every((step, place) => step === path[place])
}

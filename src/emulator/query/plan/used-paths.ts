import {
  childrenOf,
  pathOf,
  rootOf,
  selectedExpressions,
  type Expression,
  type Query,
  type SourceReference,
} from '../language/ast.js'

type Steps = readonly (string | number)[]

/** A comparison of a property, or a call of a function that an index can answer. */
export interface Predicate {
  /** The path from the document. A number stands for the elements of an array. */
  readonly steps: Steps
  /** The expression, in which the documents have the name `ROOT`. */
  readonly text: string
}

/** The paths whose indexes make a query faster. */
export interface UsedPaths {
  readonly predicates: readonly Predicate[]
  readonly groupBy: readonly Steps[]
}

/** The functions that an index can answer, according to the documentation. */
const indexedFunctions = [
  ...['STARTSWITH', 'ENDSWITH', 'CONTAINS', 'STRINGEQUALS', 'REGEXMATCH', 'ARRAY_CONTAINS', 'IS_DEFINED'],
  ...['IS_NULL', 'IS_BOOL', 'IS_NUMBER', 'IS_STRING', 'IS_ARRAY', 'IS_OBJECT', 'IS_PRIMITIVE'],
]

const comparisons = ['=', '!=', '<', '<=', '>', '>=']

/** Returns the paths that a query uses in its filter, its selection and its groups. */
export function usedPathsOf(query: Query, text: string): UsedPaths {
  const places = placesOf(query)
  const stepsOf = (expression: Expression): Steps | undefined => {
    const base = places.get(rootOf(expression) ?? '')
    const steps = pathOf(expression) ?? []
    return base === undefined || steps.length === 0 ? undefined : [...base, ...steps]
  }
  const scalars = [
    ...(query.where === undefined ? [] : [query.where]),
    ...selectedExpressions(query.selection),
  ]
  return {
    predicates: scalars.flatMap(inside).flatMap((expression) =>
      operandsOf(expression).flatMap((operand) => {
        const steps = stepsOf(operand)
        return steps === undefined ? [] : [{ steps, text: `(${rooted(expression, text, places)})` }]
      }),
    ),
    groupBy: query.groupBy.flatMap((expression) => {
      const steps = stepsOf(expression)
      return steps === undefined ? [] : [steps]
    }),
  }
}

/** Returns the path from the document to each alias that names the document or a value inside it. */
function placesOf({ sources }: Query): ReadonlyMap<string, Steps> {
  const places = new Map<string, Steps>()
  for (const [index, { alias, collection, isIterated }] of sources.entries()) {
    if (alias === undefined || collection.kind !== 'path') continue
    const base = index === 0 ? [] : places.get(collection.root.name)
    if (base !== undefined) places.set(alias, [...base, ...collection.steps, ...(isIterated ? [0] : [])])
  }
  return places
}

function inside(expression: Expression): readonly Expression[] {
  return [expression, ...childrenOf(expression).flatMap(inside)]
}

/** Returns the operands whose index can answer an expression. Empty if no index can. */
function operandsOf(expression: Expression): readonly Expression[] {
  const { kind } = expression
  if (kind === 'between' || kind === 'like') return [expression.operand]
  if (kind === 'in') return [expression.needle]
  if (kind === 'binary') {
    return comparisons.includes(expression.operator) ? [expression.left, expression.right] : []
  }
  const isIndexed = kind === 'call' && indexedFunctions.includes(expression.name.toUpperCase())
  return isIndexed ? expression.arguments.slice(0, 1) : []
}

/** Returns the text of an expression, in which the alias of the documents is replaced by `ROOT`. */
function rooted(expression: Expression, text: string, places: ReadonlyMap<string, Steps>): string {
  let rest = expression.span.start
  let result = ''
  for (const { name, span } of inside(expression).filter(isSource)) {
    if (places.get(name)?.length !== 0) continue
    result += `${text.slice(rest, span.start)}ROOT`
    rest = span.end
  }
  return result + text.slice(rest, expression.span.end)
}

function isSource(expression: Expression): expression is SourceReference {
  return expression.kind === 'source'
}

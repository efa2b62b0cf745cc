import {
  childrenOf,
  expressionsOf,
  pathOf,
  subqueriesOf,
  type Call,
  type Expression,
  type Query,
} from './ast.js'

/** Returns the calls of a query and of all its subqueries. */
export function callsIn(query: Query): readonly Call[] {
  return [...expressionsOf(query).flatMap(callsOf), ...subqueriesOf(query).flatMap(callsIn)]
}

function callsOf(expression: Expression): readonly Call[] {
  const inner = childrenOf(expression).flatMap(callsOf)
  return expression.kind === 'call' ? [expression, ...inner] : inner
}

/** Counts the expressions of a query and all their parts. Expressions of its subqueries are not counted. */
export function expressionCount(query: Query): number {
  return expressionsOf(query).reduce((count, expression) => count + partCount(expression), 0)
}

function partCount(expression: Expression): number {
  return childrenOf(expression).reduce((count, part) => count + partCount(part), 1)
}

/** Returns the longest paths such as `c.a.b` in an expression, but none from its subqueries. */
export function pathsIn(expression: Expression): readonly Expression[] {
  return pathOf(expression) === undefined ? childrenOf(expression).flatMap(pathsIn) : [expression]
}

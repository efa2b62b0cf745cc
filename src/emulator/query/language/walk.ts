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

/** Returns the longest paths such as `c.a.b` in an expression, but not those of its subqueries. */
export function pathsIn(expression: Expression): readonly Expression[] {
  return pathOf(expression) === undefined ? childrenOf(expression).flatMap(pathsIn) : [expression]
}

import type { Expression } from './ast.js'

/**
 * Returns an expression in which each direct child is replaced. Subqueries stay as they are, because they are
 * not children (see `childrenOf`).
 */
export function mapped(expression: Expression, map: (child: Expression) => Expression): Expression {
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
    case 'source':
    case 'subquery':
      return expression
    case 'member':
      return { ...expression, object: map(expression.object), key: map(expression.key) }
    case 'parenthesized':
      return { ...expression, inner: map(expression.inner) }
    case 'unary':
      return { ...expression, operand: map(expression.operand) }
    case 'binary':
      return { ...expression, left: map(expression.left), right: map(expression.right) }
    case 'logical':
      return { ...expression, operands: expression.operands.map(map) }
    case 'conditional':
      return {
        ...expression,
        condition: map(expression.condition),
        consequent: map(expression.consequent),
        alternative: map(expression.alternative),
      }
    case 'in':
      return { ...expression, needle: map(expression.needle), items: expression.items.map(map) }
    case 'between':
      return {
        ...expression,
        operand: map(expression.operand),
        low: map(expression.low),
        high: map(expression.high),
      }
    case 'like':
      return { ...expression, operand: map(expression.operand), pattern: map(expression.pattern) }
    case 'call':
      return { ...expression, arguments: expression.arguments.map(map) }
    case 'object':
      return {
        ...expression,
        properties: expression.properties.map(({ name, value }) => ({ name, value: map(value) })),
      }
    case 'array':
      return { ...expression, items: expression.items.map(map) }
  }
}

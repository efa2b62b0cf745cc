import { unwrapped, type Expression } from '../language/ast.js'

/** The properties of a tree that say only where a part is in the text. They do not change its meaning. */
const places = new Set(['span', 'selectionSpan', 'fromSpan'])

/**
 * Numbers expressions, so that two expressions have the same number if they differ only in their places and
 * parentheses. Each part of a tree is read once, so the time is linear in the size of the tree.
 */
export class Shapes {
  private readonly numbers = new Map<string, number>()
  private readonly known = new WeakMap<object, number>()

  numberOf(expression: Expression): number {
    return this.ofNode(unwrapped(expression))
  }

  private ofNode(node: object): number {
    const known = this.known.get(node)
    if (known !== undefined) return known
    const text = this.textOf(node)
    const number = this.numbers.get(text) ?? this.numbers.size
    this.numbers.set(text, number)
    this.known.set(node, number)
    return number
  }

  /** Returns a text in which each inner expression is replaced by its number. */
  private textOf(node: object): string {
    return JSON.stringify(node, (name, part: unknown) => {
      if (places.has(name)) return undefined
      return part !== node && isExpression(part) ? this.numberOf(part) : part
    })
  }
}

/**
 * Checks for a kind and a span. Collections and selections also have a kind, but no span. The only exception
 * is the selection `*`, which has both.
 */
function isExpression(part: unknown): part is Expression {
  return typeof part === 'object' && part !== null && 'kind' in part && 'span' in part
}

/** Returns the names of the sources that an expression mentions, including those in its subqueries. */
export function namesIn(expression: Expression): ReadonlySet<string> {
  const names = new Set<string>()
  JSON.stringify(expression, (_name, part: unknown) => {
    if (isExpression(part) && part.kind === 'source') names.add(part.name)
    return part
  })
  return names
}

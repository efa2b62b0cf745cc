import type { Binary, Unary } from '../language/ast.js'
import { refuseLongResult } from '../language/query-limits.js'
import { work, type PageTime } from '../language/page-time.js'
import type { Evaluate } from './scope.js'
import { areEqual, compareForOperators } from '../values/values.js'

/**
 * Compiles an operator between two values. The result of arithmetic is undefined unless both values are
 * numbers, and the result of `||` is undefined unless both are strings.
 */
export function compileBinary(
  operator: Binary['operator'],
  left: Evaluate,
  right: Evaluate,
  pageTime: PageTime,
): Evaluate {
  switch (operator) {
    case '=':
      return equality(left, right, pageTime)
    case '!=':
      return negate(equality(left, right, pageTime))
    case '<':
      return comparison(left, right, (order) => order < 0)
    case '<=':
      return comparison(left, right, (order) => order <= 0)
    case '>':
      return comparison(left, right, (order) => order > 0)
    case '>=':
      return comparison(left, right, (order) => order >= 0)
    case '||':
      return concatenation(left, right, pageTime)
    case '??':
      return coalesce(left, right)
    case '+':
      return arithmetic(left, right, (one, other) => one + other)
    case '-':
      return arithmetic(left, right, (one, other) => one - other)
    case '*':
      return arithmetic(left, right, (one, other) => one * other)
    case '/':
      return arithmetic(left, right, (one, other) => one / other)
    case '%':
      return arithmetic(left, right, (one, other) => one % other)
    case '&':
      return arithmetic(left, right, (one, other) => one & other)
    case '|':
      return arithmetic(left, right, (one, other) => one | other)
    case '^':
      return arithmetic(left, right, (one, other) => one ^ other)
    case '<<':
      return arithmetic(left, right, (one, other) => one << other)
    case '>>':
      return arithmetic(left, right, (one, other) => one >> other)
    case '>>>':
      return arithmetic(left, right, (one, other) => one >>> other)
  }
}

function coalesce(left: Evaluate, right: Evaluate): Evaluate {
  return (input) => {
    const value = left(input)
    return value === undefined ? right(input) : value
  }
}

const unaryOperators: Readonly<Record<Exclude<Unary['operator'], 'NOT'>, (value: number) => number>> = {
  '-': (value) => -value,
  '+': (value) => value,
  '~': (value) => ~value,
}

export function compileUnary(operator: Unary['operator'], operand: Evaluate): Evaluate {
  if (operator === 'NOT') return negate(operand)
  const compute = unaryOperators[operator]
  return (input) => {
    const value = operand(input)
    return typeof value === 'number' ? compute(value) + 0 : undefined
  }
}

/** Negates a boolean. The result for any other type is undefined. */
function negate(operand: Evaluate): Evaluate {
  return (input) => {
    const value = operand(input)
    return typeof value === 'boolean' ? !value : undefined
  }
}

/**
 * Compares for equality. Values of different types are not equal. If a value is undefined, the result is
 * undefined.
 */
function equality(left: Evaluate, right: Evaluate, pageTime: PageTime): Evaluate {
  return (input) => {
    const one = left(input)
    const other = right(input)
    if (one === undefined || other === undefined) return undefined
    if (typeof one === 'object' && typeof other === 'object') pageTime.spend(work.comparedContents)
    return areEqual(one, other)
  }
}

function comparison(left: Evaluate, right: Evaluate, holds: (order: number) => boolean): Evaluate {
  return (input) => {
    const order = compareForOperators(left(input), right(input))
    return order === undefined ? undefined : holds(order)
  }
}

function concatenation(left: Evaluate, right: Evaluate, pageTime: PageTime): Evaluate {
  return (input) => {
    const one = left(input)
    const other = right(input)
    if (typeof one !== 'string' || typeof other !== 'string') return undefined
    refuseLongResult(one.length + other.length)
    return pageTime.computed(one + other)
  }
}

/** Compiles arithmetic. JSON has no infinity and no NaN, so such a result is undefined. */
function arithmetic(
  left: Evaluate,
  right: Evaluate,
  compute: (one: number, other: number) => number,
): Evaluate {
  return (input) => {
    const one = left(input)
    const other = right(input)
    if (typeof one !== 'number' || typeof other !== 'number') return undefined
    const result = compute(one, other)
    return Number.isFinite(result) ? result + 0 : undefined
  }
}

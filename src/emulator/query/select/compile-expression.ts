import type { Between, Call, Conditional, Expression, In, Like, Logical, Member } from '../language/ast.js'
import { isAggregate } from './aggregates.js'
import { compileBinary, compileUnary } from './operators.js'
import { work } from '../language/page-time.js'
import { functions, slowFunctions } from '../functions/functions.js'
import { compilePattern } from '../functions/texts/like-pattern.js'
import { refuseWrongCount } from '../values/query-function.js'
import { parameterValue, type Evaluate, type Scope } from './scope.js'
import { compileSubquery } from './subquery.js'
import { unknownFunction } from '../functions/unknown-function.js'
import { areEqual, compareForOperators, isObject, memberOf } from '../values/values.js'

/**
 * Compiles an expression. All names are resolved here, so evaluation throws only if a function refuses an
 * argument or if a limit is exceeded.
 */
export function compileExpression(expression: Expression, scope: Scope): Evaluate {
  const slot = scope.known.slotOf(expression)
  if (slot !== undefined) return (frame) => frame[slot]
  const compile = (inner: Expression): Evaluate => compileExpression(inner, scope)
  switch (expression.kind) {
    case 'literal':
      return constant(expression.value)
    case 'parameter':
      return constant(parameterValue(expression, scope))
    case 'source':
      return scope.source(expression)
    case 'parenthesized':
      return compile(expression.inner)
    case 'member':
      return compileMember(expression, compile)
    case 'unary':
      return compileUnary(expression.operator, compile(expression.operand))
    case 'binary':
      return compileBinary(
        expression.operator,
        compile(expression.left),
        compile(expression.right),
        scope.pageTime,
      )
    case 'logical':
      return compileLogical(expression, compile)
    case 'conditional':
      return compileConditional(expression, compile)
    case 'in':
      return compileIn(expression, scope, compile)
    case 'between':
      return compileBetween(expression, compile)
    case 'like':
      return compileLike(expression, scope, compile)
    case 'call':
      return isAggregate(expression) ? scope.aggregate(expression) : compileCall(expression, scope, compile)
    case 'subquery':
      return compileSubquery(expression, scope)
    case 'object':
      return buildObject(expression.properties.map(({ name, value }) => [name, compile(value)] as const))
    case 'array': {
      const items = expression.items.map(compile)
      return (input) => items.map((item) => item(input)).filter((item) => item !== undefined)
    }
  }
}

type Compile = (expression: Expression) => Evaluate

function constant(value: unknown): Evaluate {
  return () => value
}

/**
 * Compiles access to a property of an object by name, or to an item of an array by position. The result of
 * any other access is undefined.
 */
function compileMember({ object, key }: Member, compile: Compile): Evaluate {
  const container = compile(object)
  if (key.kind === 'literal' && typeof key.value === 'string') return property(container, key.value)
  const index = compile(key)
  return (input) => memberOf(container(input), index(input))
}

function property(container: Evaluate, name: string): Evaluate {
  // Checking whether a property is an object's own costs time, so it is done only for names that objects
  // inherit.
  const isInherited = name in Object.prototype
  return (input) => {
    const value = container(input)
    if (!isObject(value)) return undefined
    return isInherited && !Object.hasOwn(value, name) ? undefined : value[name]
  }
}

/**
 * Compiles a chain of ANDs or ORs. One decisive operand (false for AND, true for OR) settles the result, even
 * if another operand is undefined.
 */
function compileLogical({ operator, operands }: Logical, compile: Compile): Evaluate {
  const decisive = operator === 'OR'
  const compiled = operands.map(compile)
  return (input) => {
    let result: boolean | undefined = !decisive
    for (const operand of compiled) {
      const value = operand(input)
      if (value === decisive) return decisive
      if (typeof value !== 'boolean') result = undefined
    }
    return result
  }
}

function compileConditional({ condition, consequent, alternative }: Conditional, compile: Compile): Evaluate {
  const test = compile(condition)
  const whenTrue = compile(consequent)
  const otherwise = compile(alternative)
  return (input) => (test(input) === true ? whenTrue(input) : otherwise(input))
}

function compileIn({ needle, items }: In, { pageTime }: Scope, compile: Compile): Evaluate {
  const wanted = compile(needle)
  const candidates = items.map(compile)
  return (input) => {
    const value = wanted(input)
    if (value === undefined) return undefined
    const isLarge = typeof value === 'object'
    return candidates.some((candidate) => {
      if (isLarge) pageTime.spend(work.comparedContents)
      return areEqual(value, candidate(input))
    })
  }
}

function compileBetween({ operand, low, high }: Between, compile: Compile): Evaluate {
  const value = compile(operand)
  const from = compile(low)
  const to = compile(high)
  return (input) => {
    const middle = value(input)
    const toLow = compareForOperators(middle, from(input))
    const toHigh = compareForOperators(middle, to(input))
    // As with AND, one violated bound settles the result, even if the value cannot be compared with the
    // other bound.
    if ((toLow !== undefined && toLow < 0) || (toHigh !== undefined && toHigh > 0)) return false
    return toLow === undefined || toHigh === undefined ? undefined : true
  }
}

function compileLike({ operand, pattern, escape }: Like, { pageTime }: Scope, compile: Compile): Evaluate {
  const text = compile(operand)
  const wanted = compile(pattern)
  let last: { pattern: string; matches: (text: string) => boolean } | undefined
  return (input) => {
    const value = text(input)
    const currentPattern = wanted(input)
    if (typeof value !== 'string' || typeof currentPattern !== 'string') return undefined
    pageTime.spend(work.call)
    // Patterns rarely depend on the document, so the last compiled one is kept.
    if (last?.pattern !== currentPattern) {
      last = { pattern: currentPattern, matches: compilePattern(currentPattern, escape) }
    }
    return last.matches(value)
  }
}

function compileCall(call: Call, scope: Scope, compile: Compile): Evaluate {
  const name = call.name.toUpperCase()
  const called = functions.get(name)
  if (called === undefined) throw unknownFunction(call)
  refuseWrongCount(call, called.minArguments, called.maxArguments)
  const evaluate = 'bind' in called ? called.bind(scope.time) : called.evaluate
  const { pageTime } = scope
  const units = slowFunctions.has(name) ? work.slowCall : work.call
  const given = call.arguments.map(compile)
  const [first, second] = given
  // Nearly all calls have one or two arguments, which need no array.
  if (first !== undefined && given.length === 1) {
    return (input) => {
      pageTime.spend(units)
      const value = first(input)
      return pageTime.computed(evaluate(value), value)
    }
  }
  if (first !== undefined && second !== undefined && given.length === 2) {
    return (input) => {
      pageTime.spend(units)
      return pageTime.computed(evaluate(first(input), second(input)))
    }
  }
  return (input) => {
    pageTime.spend(units)
    return pageTime.computed(evaluate(...given.map((argument) => argument(input))))
  }
}

/** Compiles an object with the named values, except those that are undefined. */
export function buildObject(entries: readonly (readonly [string, Evaluate])[]): Evaluate {
  return (input) => {
    const defined: [string, unknown][] = []
    for (const [name, evaluate] of entries) {
      const value = evaluate(input)
      if (value !== undefined) defined.push([name, value])
    }
    // Unlike assignment, this creates a property for any name, including `__proto__`.
    return Object.fromEntries(defined)
  }
}

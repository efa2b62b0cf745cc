import { isJsonObject, type JsonObject } from '../engine/index.js'
import { faultOperations } from './fault-match.js'

/**
 * Returns all problems of a fault's options, which may come from code or from a request. Empty when they are
 * valid.
 */
export function faultProblems(options: unknown): readonly string[] {
  if (!isJsonObject(options)) return ['a fault must be an object such as { status: 503, times: 1 }']
  const { match } = options
  return [
    ...problemsIn(options, rules, ''),
    ...(isJsonObject(match) ? problemsIn(match, matchRules, 'match.') : []),
    ...relationProblems(options),
  ]
}

interface Rule {
  readonly isKept: (value: unknown) => boolean
  readonly text: string
}

const isWhole = (value: unknown, least: number, most: number): boolean =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most

const longestMs = 24 * 3_600_000

const duration: Rule = {
  isKept: (value) => typeof value === 'number' && value >= 0 && value <= longestMs,
  text: `milliseconds from 0 to ${longestMs}`,
}

const flag: Rule = { isKept: (value) => typeof value === 'boolean', text: 'true or false' }

const rules: Readonly<Record<string, Rule>> = {
  match: {
    isKept: (value) => typeof value === 'function' || isJsonObject(value),
    text: 'properties of requests, or a predicate',
  },
  status: { isKept: (value) => isWhole(value, 400, 599), text: 'a whole number from 400 to 599' },
  substatus: { isKept: (value) => isWhole(value, 0, 99_999), text: 'a whole number from 0 to 99999' },
  times: {
    isKept: (value) => isWhole(value, 1, Number.MAX_SAFE_INTEGER),
    text: 'a whole number above 0',
  },
  probability: {
    isKept: (value) => typeof value === 'number' && value > 0 && value <= 1,
    text: 'a number above 0 and up to 1',
  },
  seed: { isKept: (value) => isWhole(value, 0, 2 ** 32 - 1), text: 'a whole number from 0 to 2^32 - 1' },
  afterApply: flag,
  delayMs: duration,
  retryAfterMs: duration,
  reset: flag,
}

const matchRules: Readonly<Record<string, Rule>> = {
  operation: {
    isKept: (value) => {
      const named: readonly unknown[] = [value].flat()
      return named.length > 0 && named.every((name) => faultOperations.some((one) => one === name))
    },
    text: `one or some of ${faultOperations.join(', ')}`,
  },
  container: { isKept: (value) => typeof value === 'string', text: 'the name of a container' },
  id: { isKept: (value) => typeof value === 'string', text: 'the id of a document' },
  partitionKey: { isKept: () => true, text: 'any value' },
}

function problemsIn(
  given: JsonObject,
  allowed: Readonly<Record<string, Rule>>,
  prefix: '' | 'match.',
): readonly string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const rule = Object.hasOwn(allowed, name) ? allowed[name] : undefined
    if (rule === undefined) {
      const kind = prefix === '' ? 'an option of a fault' : 'a property to match'
      return [`${prefix}${name} is not ${kind}; use ${Object.keys(allowed).join(', ')}`]
    }
    if (value === undefined || rule.isKept(value)) return []
    const shown = typeof value === 'function' ? 'a function' : JSON.stringify(value).slice(0, 80)
    return [`${prefix}${name} is ${shown}; it must be ${rule.text}`]
  })
}

function relationProblems(options: JsonObject): readonly string[] {
  const { status, reset, delayMs, substatus, retryAfterMs, seed, probability } = options
  const problems: string[] = []
  if (status === undefined && reset !== true && delayMs === undefined) {
    problems.push('a fault needs one of status, reset and delayMs')
  }
  if (status !== undefined && reset === true) {
    problems.push('status and reset exclude each other: a connection that is cut answers nothing')
  }
  if (status === undefined && (substatus !== undefined || retryAfterMs !== undefined)) {
    problems.push('substatus and retryAfterMs need a status')
  }
  if (seed !== undefined && probability === undefined) problems.push('seed needs a probability')
  return problems
}

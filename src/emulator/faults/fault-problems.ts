import { isJsonObject } from '../engine/index.js'
import { faultOperations } from './fault-match.js'

/**
 * Returns all problems of a fault's options, which may come from code or from a request. Empty when they are
 * valid.
 */
export function faultProblems(options: unknown): readonly string[] {
  if (!isJsonObject(options)) return ['a fault must be an object such as { status: 503, times: 1 }']
  const problems: string[] = []
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined) problems.push(`${name} is not an option of a fault; use ${known(rules)}`)
    else if (value !== undefined && !rule.isKept(value)) problems.push(problem(name, value, rule))
  }
  return [...problems, ...matchProblems(options['match']), ...relationProblems(options)]
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

function matchProblems(match: unknown): readonly string[] {
  if (!isJsonObject(match)) return []
  return Object.entries(match).flatMap(([name, value]) => {
    const rule = Object.hasOwn(matchRules, name) ? matchRules[name] : undefined
    if (rule === undefined) return [`match.${name} is not a property to match; use ${known(matchRules)}`]
    return value === undefined || rule.isKept(value) ? [] : [problem(`match.${name}`, value, rule)]
  })
}

function relationProblems(options: Readonly<Record<string, unknown>>): readonly string[] {
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

function problem(name: string, value: unknown, rule: Rule): string {
  const shown = typeof value === 'function' ? 'a function' : JSON.stringify(value).slice(0, 80)
  return `${name} is ${shown}; it must be ${rule.text}`
}

function known(all: Readonly<Record<string, Rule>>): string {
  return Object.keys(all).join(', ')
}
